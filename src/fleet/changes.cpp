#include "fleet/changes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fleet/outliers.h"
#include "report/model_diff.h"

namespace platter::fleet {
namespace {

std::vector<model::Difference> all_differences(const model::DriveModel& before,
                                               const model::DriveModel& after) {
  std::vector<model::Difference> differences = report::diff_models(before, after);
  const auto remaps = [](const model::DriveModel& m) -> std::optional<double> {
    if (m.layout.zones.empty()) return std::nullopt;
    return static_cast<double>(m.layout.remaps.size());
  };
  differences.push_back(model::compare("layout.remaps", "blocks", remaps(before), std::nullopt,
                                       remaps(after), std::nullopt));
  return differences;
}

// Of tracks, blocks and angles that lie elsewhere it is told how many and how far: none was before.
// Models have as many tracks as before where a few sectors were lost, and all behind them moved.
Change change_of(const model::Difference& difference) {
  Change change{
      .path = difference.path, .unit = difference.unit, .in_errors = difference.in_errors};
  const double apart = difference.difference.value_or(0);
  const bool elsewhere = !difference.a || !difference.b || apart != *difference.b - *difference.a;
  if (elsewhere && difference.a) change.path += ", elsewhere";
  change.before = elsewhere ? 0 : *difference.a;
  change.after = elsewhere ? apart : *difference.b;
  return change;
}

}  // namespace

Changes changes_between(const model::DriveModel& before, const model::DriveModel& after) {
  Changes changes;
  const Resolution in_before(before), in_after(after);
  std::vector<Change> judged;
  std::vector<double> chances;
  for (const model::Difference& difference : all_differences(before, after)) {
    if (!difference.within_error || !difference.not_judged.empty()) continue;
    ++changes.looks;
    Change change = change_of(difference);
    if (!difference.in_errors) {
      if (*difference.within_error) continue;
      change.resolution = std::max(in_before.of(change.path, change.unit),
                                   in_after.of(change.path, change.unit));
      (std::abs(change.after - change.before) > change.resolution ? changes.facts
                                                                  : changes.unresolved)
          .push_back(std::move(change));
      continue;
    }
    change.chance = std::erfc(*difference.in_errors / std::numbers::sqrt2);
    chances.push_back(change.chance);
    judged.push_back(std::move(change));
  }
  const std::vector<double> among_all = statistics::chances_among_all(chances);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i].among_all = among_all[i];
    if (among_all[i] <= kFalseAlarm) changes.measured.push_back(std::move(judged[i]));
  }
  std::ranges::sort(changes.measured, {}, &Change::among_all);
  return changes;
}

}  // namespace platter::fleet
