#include "study/columns.h"

#include <algorithm>

#include "study/options.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;

constexpr const char* kFirst = "platter_study_table_1";

// A member of the stored result, by a JSON pointer.
Column stored(const char* name, const char* pointer) {
  return {name, [at = Json::json_pointer(pointer)](const Row& row) {
            return row.stored.contains(at) ? row.stored.at(at) : Json();
          }};
}

// Of times of which there may be none: empty then.
Column of_some(const char* name, const char* of, const char* member) {
  const std::string result = std::string("/result/") + of;
  return {name, [count = Json::json_pointer(result + "/n"),
                 at = Json::json_pointer(result + "/" + member)](const Row& row) {
            if (!row.stored.contains(count) || row.stored.at(count) == 0) return Json();
            return row.stored.contains(at) ? row.stored.at(at) : Json();
          }};
}

std::vector<Column> all_columns() {
  std::vector<Column> all = {
      {kFirst, [](const Row& row) { return Json(row.point.key); }},
      {"model", [](const Row& row) { return Json(row.study.models[row.point.model].name); }},
      {"trace", [](const Row& row) { return Json(row.study.traces[row.point.trace].name); }},
      {"device",
       [](const Row& row) { return row.point.device.empty() ? Json() : Json(row.point.device); }}};
  for (const Option& option : options())
    all.push_back({option.name,
                   [name = option.name](const Row& row) { return row.point.options->at(name); }});
  const std::vector<Column> results = {stored("requests", "/result/requests"),
                                       stored("seconds", "/result/seconds"),
                                       of_some("mean_ms", "all", "mean_ms"),
                                       of_some("p50_ms", "all", "p50_ms"),
                                       of_some("p90_ms", "all", "p90_ms"),
                                       of_some("p95_ms", "all", "p95_ms"),
                                       of_some("p99_ms", "all", "p99_ms"),
                                       of_some("p999_ms", "all", "p999_ms"),
                                       of_some("max_ms", "all", "max_ms"),
                                       stored("read_requests", "/result/read/n"),
                                       of_some("read_mean_ms", "read", "mean_ms"),
                                       of_some("read_p99_ms", "read", "p99_ms"),
                                       stored("write_requests", "/result/write/n"),
                                       of_some("write_mean_ms", "write", "mean_ms"),
                                       of_some("write_p99_ms", "write", "p99_ms"),
                                       stored("queued_p99_ms", "/result/lateness/depth/p99_ms"),
                                       stored("hits_share", "/result/hits_share"),
                                       stored("outside_validity", "/result/outside_validity"),
                                       stored("quantile_error", "/result/quantile_error"),
                                       stored("served_by", "/result/scheduler"),
                                       stored("served_depth", "/result/depth"),
                                       stored("fit_told", "/result/fit"),
                                       stored("status", "/status"),
                                       stored("error", "/error")};
  all.insert(all.end(), results.begin(), results.end());
  return all;
}

}  // namespace

const std::vector<Column>& columns() {
  static const std::vector<Column> all = all_columns();
  return all;
}

bool has_column(const std::string& name) {
  return std::ranges::find(columns(), name, &Column::name) != columns().end();
}

}  // namespace platter::study
