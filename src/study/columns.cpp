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

std::vector<Column> all_columns() {
  std::vector<Column> all = {
      {kFirst, [](const Row& row) { return Json(row.point.key); }},
      {"model", [](const Row& row) { return Json(row.study.models[row.point.model].name); }},
      {"trace", [](const Row& row) { return Json(row.study.traces[row.point.trace].name); }},
      {"device",
       [](const Row& row) { return row.point.device.empty() ? Json() : Json(row.point.device); }}};
  for (const Option& option : options())
    all.push_back(
        {option.name, [name = option.name](const Row& row) { return row.point.options.at(name); }});
  const std::vector<Column> results = {stored("requests", "/result/requests"),
                                       stored("seconds", "/result/seconds"),
                                       stored("mean_ms", "/result/all/mean_ms"),
                                       stored("p50_ms", "/result/all/p50_ms"),
                                       stored("p90_ms", "/result/all/p90_ms"),
                                       stored("p95_ms", "/result/all/p95_ms"),
                                       stored("p99_ms", "/result/all/p99_ms"),
                                       stored("p999_ms", "/result/all/p999_ms"),
                                       stored("max_ms", "/result/all/max_ms"),
                                       stored("read_requests", "/result/read/n"),
                                       stored("read_mean_ms", "/result/read/mean_ms"),
                                       stored("read_p99_ms", "/result/read/p99_ms"),
                                       stored("write_requests", "/result/write/n"),
                                       stored("write_mean_ms", "/result/write/mean_ms"),
                                       stored("write_p99_ms", "/result/write/p99_ms"),
                                       stored("queued_p99_ms", "/result/lateness/depth/p99_ms"),
                                       stored("hits_share", "/result/hits_share"),
                                       stored("outside_validity", "/result/outside_validity"),
                                       stored("quantile_error", "/result/quantile_error"),
                                       stored("served_by", "/result/scheduler"),
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
