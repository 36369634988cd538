#include "study/point_json.h"

#include "model/json_head.h"
#include "model/printable.h"
#include "replay/times_json.h"

namespace platter::study {
namespace {

template <class Value>
PointJson or_null(const std::optional<Value>& value) {
  return value ? PointJson(*value) : PointJson();
}

PointJson or_null(const std::string& text) { return text.empty() ? PointJson() : PointJson(text); }

}  // namespace

const std::vector<double>& told_shares() {
  static const std::vector<double> kShares = [] {
    std::vector<double> shares = {0, 0.001};
    for (int half_percent = 1; half_percent < 200; ++half_percent)
      shares.push_back(half_percent / 200.0);
    for (const double tail : {0.999, 0.9999, 0.99999, 1.0}) shares.push_back(tail);
    return shares;
  }();
  return kShares;
}

PointJson point_head(const std::string& key, const nlohmann::json& identity) {
  PointJson json = model::json_head("platter-study-point");
  json["key"] = key;
  json["of"] = identity;
  return json;
}

void add_result(PointJson& json, const replay::ModelRan& ran) {
  const replay::Summary& summary = ran.summary;
  PointJson skipped = PointJson::array();
  for (const trace::Skipped& what : ran.skipped)
    if (what.kind != trace::Skipped::Kind::form)
      skipped.push_back({{"what", what.what}, {"count", what.count}});
  json["status"] = static_cast<int>(ExitStatus::ok);
  json["result"] = {{"requests", summary.all.n},
                    {"seconds", summary.seconds},
                    {"all", replay::times_json(summary.all)},
                    {"read", replay::times_json(summary.read)},
                    {"write", replay::times_json(summary.write)},
                    {"lateness",
                     {{"host", replay::delay_json(summary.lateness.host)},
                      {"depth", replay::delay_json(summary.lateness.depth)}}},
                    {"hits_share", or_null(summary.hits_share)},
                    {"outside_validity", ran.head.outside_validity},
                    {"depth", ran.head.depth},
                    {"scheduler", or_null(ran.head.scheduler)},
                    {"fit", or_null(ran.head.fit)},
                    {"think_in_front", ran.head.think_in_front},
                    {"skipped", skipped},
                    {"quantile_error", summary.quantile_error},
                    {"shares", told_shares()},
                    {"quantiles_ms", ran.quantiles_ms}};
}

void add_failure(PointJson& json, ExitStatus status, const std::string& sentence) {
  json["status"] = static_cast<int>(status);
  json["error"] = model::printable(sentence);
}

}  // namespace platter::study
