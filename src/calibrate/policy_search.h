// Policies of the cache that no single request tells: whichever value brings the model nearest to
// the drive.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "calibrate/gain.h"
#include "calibrate/measurement.h"
#include "model/drive_model.h"

namespace platter::calibrate {

struct PolicyStep {
  model::DriveModel model{};  // with the policy's new value
  std::string path{};
  std::optional<double> from{};
  double to = 0;
  Gain gain{};
};

// The one change of a policy that gains most against a model whose differences are `now`, if it
// gains beyond what noise does; of values that serve equally well the first that is tried. nullopt
// too if `keep_on` says no before all were tried.
std::optional<PolicyStep> best_policy(const model::DriveModel& model, const Measurement& measured,
                                      const Differences& now, const std::function<bool()>& keep_on);

}  // namespace platter::calibrate
