#include "calibrate/outcome_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/json_text.h"
#include "replay/comparison_text.h"

namespace platter::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json change_json(const Change& change) {
  return {{"group", change.group},          {"path", change.path},
          {"from", or_null(change.from)},   {"to", or_null(change.to)},
          {"error", or_null(change.error)}, {"unit", change.unit},
          {"samples", change.samples},      {"why", change.why}};
}

Json comparison(const replay::Comparison& comparison) {
  return Json::parse(replay::comparison_json({&comparison, 1}));
}

Json standing_json(const Standing& standing) {
  return {{"own_time", comparison(standing.own_time)},
          {"drives_time", comparison(standing.drives_time)}};
}

Json half_json(Range part, const Standing& before, const Standing& after) {
  return {{"first", part.begin + 1},
          {"last", part.end},
          {"before", standing_json(before)},
          {"after", standing_json(after)}};
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

std::string share(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", 100 * *value) : "-";
}

std::string standing_line(const std::string& name, const Standing& standing) {
  const replay::ClassMetrics& all = standing.own_time.classes.at(0);
  const replay::ClassMetrics& theirs = standing.drives_time.classes.at(0);
  const replay::PairedError paired = all.paired.value_or(replay::PairedError{});
  return fmt::format(
      "{:<15} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>8.4f} {:>8.4f} {:>8} {:>8} {:>11.4f} {:>8}\n",
      name, all.demerit_ms, standing.own_time.classes.at(1).demerit_ms,
      standing.own_time.classes.at(2).demerit_ms, paired.bias_ms, paired.mae_ms, paired.rms_ms,
      share(all.hits_agreed_share), share(all.folded_phase_share_reanchored), theirs.demerit_ms,
      share(theirs.folded_phase_share));
}

Json gain_json(const Gain& gain) { return {{"fell_by", gain.mean}, {"error", gain.error}}; }

std::string gain_text(const char* what, const Gain& gain) {
  return fmt::format("{} {} by {:.4f} +- {:.4f} ms", what, gain.mean < 0 ? "rises" : "falls",
                     std::abs(gain.mean), gain.error);
}

}  // namespace

std::string verdict_text(const Outcome& outcome) {
  if (outcome.changes.empty())
    return "The model stays as it came in: nothing was found to change.\n";
  const auto of = [&] {
    switch (outcome.kept) {
      case Kept::all:
        return "The model is better:";
      case Kept::positions:
        return "Where its tracks lie is kept of what was found, for only that is better:";
      case Kept::nothing:
        break;
    }
    return "The model stays as it came in, for what was found is no better than chance makes it:";
  };
  return fmt::format("{} in requests {} to {}, which were not learned from, {} and {}{}.\n", of(),
                     outcome.judge.begin + 1, outcome.judge.end,
                     gain_text("the mean absolute difference", outcome.verdict.difference),
                     gain_text("the demerit", outcome.verdict.demerit),
                     outcome.judged_in_drives_time ? ", in the drive's time" : "");
}

std::string outcome_text(const Outcome& outcome) {
  std::string text = verdict_text(outcome);
  if (outcome.think_times_in_front)
    text +=
        "Think times: taken as those before their requests; only so do accesses keep step "
        "with "
        "the spindle.\n";
  text += outcome.phase_known
              ? fmt::format("Rotational position: known; an access is {:.4f} revolutions off.\n",
                            outcome.spread_rev)
              : "Rotational position: not to be told from this result.\n";
  text += fmt::format("\n{} changes{}\n", outcome.changes.size(),
                      outcome.kept == Kept::all || outcome.changes.empty() ? ""
                      : outcome.kept == Kept::positions ? ", those of rotation and angles kept"
                                                        : ", none of them kept");
  if (!outcome.changes.empty())
    text += fmt::format("{:<12} {:<40} {:>12} {:>12} {:>10} {:<6} {:>7}  {}\n", "group",
                        "parameter", "from", "to", "error", "unit", "samples", "why");
  for (const Change& change : outcome.changes)
    text += fmt::format("{:<12} {:<40} {:>12} {:>12} {:>10} {:<6} {:>7}  {}\n", change.group,
                        change.path, number(change.from), number(change.to), number(change.error),
                        change.unit, change.samples, change.why);
  for (const std::string& warning : outcome.warnings) text += fmt::format("warning: {}\n", warning);
  for (const std::string& why : outcome.left) text += fmt::format("left as it is: {}\n", why);
  text += fmt::format("\nLearned from requests {} to {}, judged by {} to {}; ms, shares in %\n",
                      outcome.learn.begin + 1, outcome.learn.end, outcome.judge.begin + 1,
                      outcome.judge.end);
  text += fmt::format("{:<15} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>11} {:>8}\n", "",
                      "demerit", "read", "write", "bias", "mean abs", "RMS", "hits", "phase",
                      "drive's time", "phase");
  text += standing_line("learned before", outcome.learn_before);
  text += standing_line("learned after", outcome.learn_after);
  text += standing_line("judged before", outcome.judge_before);
  text += standing_line("judged after", outcome.judge_after);
  if (outcome.judge_as_written_before && outcome.judge_as_written_after)
    text += fmt::format(
        "judged with think times after their requests: demerit {:.4f} before, {:.4f} "
        "after\n",
        *outcome.judge_as_written_before, *outcome.judge_as_written_after);
  return text;
}

std::string outcome_json(const Outcome& outcome) {
  Json json = model::json_head("platter-calibration");
  json["think_times_in_front"] = outcome.think_times_in_front;
  json["phase_known"] = outcome.phase_known;
  json["spread_rev"] = outcome.phase_known ? Json(outcome.spread_rev) : Json(nullptr);
  json["judged_better"] = outcome.kept != Kept::nothing;
  json["changes"] = Json::array();
  for (const Change& change : outcome.changes) json["changes"].push_back(change_json(change));
  json["warnings"] = outcome.warnings;
  json["left"] = outcome.left;
  json["learn"] = half_json(outcome.learn, outcome.learn_before, outcome.learn_after);
  json["judge"] = half_json(outcome.judge, outcome.judge_before, outcome.judge_after);
  json["judge"]["demerit_ms_as_written"] = {{"before", or_null(outcome.judge_as_written_before)},
                                            {"after", or_null(outcome.judge_as_written_after)}};
  json["judge"]["mean_absolute_ms"] = gain_json(outcome.verdict.difference);
  json["judge"]["demerit_ms"] = gain_json(outcome.verdict.demerit);
  return model::pretty(json);
}

}  // namespace platter::calibrate
