#include "jobs/calibration.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/completeness.h"
#include "model/json.h"

namespace platter::jobs {
namespace {

const std::map<std::string, bool calibrate::Groups::*> kGroups = {
    {"rotation", &calibrate::Groups::rotation},
    {"angles", &calibrate::Groups::angles},
    {"hits", &calibrate::Groups::hits},
    {"positioning", &calibrate::Groups::positioning},
    {"cache", &calibrate::Groups::cache}};

}  // namespace

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const auto& [name, member] : kGroups) names.push_back(name);
  return names;
}

calibrate::Groups groups_named(const std::vector<std::string>& names) {
  calibrate::Groups groups;
  if (names.empty()) return groups;
  for (const auto& [name, member] : kGroups) groups.*member = std::ranges::count(names, name) > 0;
  return groups;
}

calibrate::Measurement halved(replay::Result drive, bool learn_first) {
  const std::size_t n = drive.requests.size(), half = n / 2;
  const calibrate::Range first{0, half}, second{half, n};
  return {std::move(drive), learn_first ? first : second, learn_first ? second : first};
}

calibrate::Outcome calibrated_model(const CalibrateRun& run, Progress& progress) {
  const model::DriveModel model = model::load_model(run.model);
  model::require_what_predicts(model, run.model, "be calibrated");
  model::require_nothing_passed_over(model.passed_over);
  run.outputs.reads(run.result);
  run.outputs.writes(run.output, content_of(model));
  const calibrate::Measurement measured = halved(replay::load_result(run.result), run.learn_first);
  calibrate::Options how;
  how.groups = groups_named(run.only);
  how.most_replayed = run.most_replayed;
  how.progress = [&](const std::string& stage, double share) { progress.show(stage, share); };
  calibrate::Outcome outcome = calibrate::calibrate(model, measured, how);
  progress.clear();
  model::save_model(outcome.model, run.output);
  return outcome;
}

}  // namespace platter::jobs
