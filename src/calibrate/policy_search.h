// Cache policies and sizes, one after the other: whichever value makes the model's responses the
// nearest to the drive's, if it does so beyond noise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "model/drive_model.h"

namespace platter::calibrate {

struct PolicyChange {
  std::string path{};  // in the model's JSON
  double from = 0, to = 0;
  bool had_value = false;
  double gain_ms = 0, gain_error_ms = 0;  // of the mean absolute difference of the response times
};

// Greedy: in each round the change with the largest gain, until none is left that gains 3.5
// standard errors (paired, over twenty stretches of what may be learned from) and 0.2 % of the
// difference. `keep_on` is asked between replays.
std::vector<PolicyChange> search_policies(model::DriveModel& model, const Measurement& measured,
                                          const std::function<bool()>& keep_on);

}  // namespace platter::calibrate
