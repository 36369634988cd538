#include "replay/comparison_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "model/json_text.h"
#include "model/printable.h"
#include "replay/share_text.h"

namespace platter::replay {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json paired_json(const PairedError& paired) {
  return {{"bias_ms", paired.bias_ms}, {"mae_ms", paired.mae_ms}, {"rms_ms", paired.rms_ms},
          {"p50_ms", paired.p50_ms},   {"p95_ms", paired.p95_ms}, {"p99_ms", paired.p99_ms},
          {"max_ms", paired.max_ms}};
}

Json class_json(const ClassMetrics& metrics) {
  Json json;
  json["n"] = metrics.n_drive;
  if (metrics.n_model != metrics.n_drive) json["n_model"] = metrics.n_model;
  json["mean_ms"] = {{"drive", metrics.mean_drive_ms}, {"model", metrics.mean_model_ms}};
  json["demerit_ms"] = metrics.demerit_ms;
  json["demerit_percent"] = metrics.demerit_percent;
  json["demerit_error_ms"] = or_null(metrics.demerit_error_ms);
  json["paired"] = metrics.paired ? paired_json(*metrics.paired) : Json(nullptr);
  json["drive_hits"] = metrics.drive_hits;
  json["drive_misses"] = metrics.drive_misses;
  json["hits_agreed_share"] = or_null(metrics.hits_agreed_share);
  json["hits_as_hits_share"] = or_null(metrics.hits_as_hits_share);
  json["misses_as_misses_share"] = or_null(metrics.misses_as_misses_share);
  json["phase_n"] = metrics.phase_n;
  json["folded_phase_share"] = or_null(metrics.folded_phase_share);
  json["folded_phase_share_reanchored"] = or_null(metrics.folded_phase_share_reanchored);
  return json;
}

void add_comparison(Json& json, const Comparison& comparison) {
  json["drive"] = comparison.drive;
  json["model"] = comparison.model;
  json["trace"] = comparison.trace;
  json["not_paired"] = comparison.not_paired.empty() ? Json(nullptr) : Json(comparison.not_paired);
  json["same_issue_times"] = comparison.same_issue_times;
  json["period_ns"] = or_null(comparison.period_ns);
  if (comparison.range) {
    json["from"] = comparison.range->from;
    json["to"] = comparison.range->to;
  }
  json["hits_by"] = comparison.hits_by == HitsBy::response ? "response" : "waiting";
  json["hit_threshold_ms"] = comparison.hit_threshold_ns ? Json(*comparison.hit_threshold_ns / 1e6)
                                                         : Json(nullptr);
  json["phase_from"] = comparison.phase_from.empty() ? Json(nullptr) : Json(comparison.phase_from);
  json["phase_ms"] = comparison.phase_ms;
  json["phase_drift_rev"] = or_null(comparison.phase_drift_rev);
  json["phase_lead"] = comparison.phase_lead == PhaseLead::anew ? "anew" : "once";
  Json sizes = Json::object();
  for (const ClassMetrics& metrics : comparison.classes) {
    const bool named = metrics.name == "all" || metrics.name == "read" || metrics.name == "write";
    (named ? json : sizes)[metrics.name] = class_json(metrics);
  }
  json["size_classes"] = std::move(sizes);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::string why_anew(const Comparison& comparison) {
  const std::string once = share_text(*comparison.classes.front().folded_phase_share,
                                      comparison.classes.front().phase_n);
  if (comparison.phase_drift_rev)
    return fmt::format(
        ", the phase set anew at each completion: the period's error turns it by {:.3g} "
        "revolutions over "
        "the trace (set once: {})",
        *comparison.phase_drift_rev, once);
  return fmt::format(
      ", the phase set anew at each completion: set once, it is lost ({}), and the model "
      "states no error of its period",
      once);
}

std::string sentence(const Comparison& comparison) {
  const ClassMetrics& all = comparison.classes.front();
  std::string text = fmt::format(
      "{} has a demerit of {:.3f} ms against {}, {:.1f} % of the drive's mean of {:.3f} ms over {} "
      "requests",
      model::printable(comparison.model), all.demerit_ms, model::printable(comparison.drive),
      all.demerit_percent, all.mean_drive_ms, all.n_drive);
  const bool anew = comparison.phase_lead == PhaseLead::anew;
  const auto& share = anew ? all.folded_phase_share_reanchored : all.folded_phase_share;
  if (!share) return text + ".\n";
  text += fmt::format(
      "; it knows the rotational position in {} of {} media accesses (chance: 6.25 %)",
      share_text(*share, all.phase_n), all.phase_n);
  return text + (anew ? why_anew(comparison) : "") + ".\n";
}

std::string row(const ClassMetrics& metrics) {
  return fmt::format("{:>7} {:>7} {:>8.3f} {:>8.3f} {:>8.3f} {:>6.1f}  {:>6} {:>6} {:>6}\n",
                     metrics.name, metrics.n_drive, metrics.mean_drive_ms, metrics.mean_model_ms,
                     metrics.demerit_ms, metrics.demerit_percent,
                     percent(metrics.hits_agreed_share), percent(metrics.folded_phase_share),
                     percent(metrics.folded_phase_share_reanchored));
}

std::string paired_row(const ClassMetrics& metrics) {
  const auto paired = [&](double PairedError::*member) {
    return metrics.paired ? fmt::format("{:.3f}", *metrics.paired.*member) : std::string("-");
  };
  return fmt::format("{:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}\n", metrics.name,
                     paired(&PairedError::bias_ms), paired(&PairedError::mae_ms),
                     paired(&PairedError::rms_ms), paired(&PairedError::p50_ms),
                     paired(&PairedError::p95_ms), paired(&PairedError::max_ms));
}

}  // namespace

std::string comparison_json(std::span<const Comparison> comparisons) {
  Json json = model::json_head("platter-comparison");
  if (comparisons.size() == 1) {
    add_comparison(json, comparisons.front());
  } else {
    json["comparisons"] = Json::array();
    for (const Comparison& comparison : comparisons) {
      Json each = Json::object();
      add_comparison(each, comparison);
      json["comparisons"].push_back(std::move(each));
    }
  }
  return model::pretty(json);
}

std::string comparison_table(const Comparison& comparison) {
  std::string text = sentence(comparison);
  text += fmt::format("\n{:>7} {:>7} {:>17} {:>15}  {:>20}\n", "", "", "mean ms", "demerit",
                      "agreement %");
  text += fmt::format("{:>7} {:>7} {:>8} {:>8} {:>8} {:>6}  {:>6} {:>6} {:>6}\n", "class", "n",
                      "drive", "model", "ms", "%", "hits", "phase", "anew");
  for (const ClassMetrics& metrics : comparison.classes) text += row(metrics);
  if (!comparison.not_paired.empty())
    return text + fmt::format("\nNo paired errors: {}.\n", model::printable(comparison.not_paired));
  text += "\nPaired error, ms\n";
  text += fmt::format("{:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "class", "bias", "mean", "RMS",
                      "p50", "p95", "max");
  for (const ClassMetrics& metrics : comparison.classes) text += paired_row(metrics);
  return text;
}

}  // namespace platter::replay
