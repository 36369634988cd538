// What `platter calibrate` and studies ask of a calibration.
#pragma once

#include <string>
#include <vector>

#include "calibrate/calibrate.h"
#include "jobs/outputs.h"
#include "jobs/progress.h"
#include "replay/result.h"

namespace platter::jobs {

std::vector<std::string> group_names();
// Those of these names; all of them if there is none.
calibrate::Groups groups_named(const std::vector<std::string>& names);

// One half of the requests to learn from, the other to judge by.
calibrate::Measurement halved(replay::Result drive, bool learn_first);

struct CalibrateRun {
  std::string model, result, output;
  std::vector<std::string> only;  // of group_names(); none: all
  bool learn_first = true;        // from the first half of the requests
  std::uint64_t most_replayed = calibrate::Options{}.most_replayed;
  Outputs outputs;
};

// The model refined by the result, and written.
calibrate::Outcome calibrated_model(const CalibrateRun& run, Progress& progress);

}  // namespace platter::jobs
