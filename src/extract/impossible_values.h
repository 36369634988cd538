// What was measured and cannot be as it stands: said in words, never put right in silence.
#pragma once

#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::extract {

// A sentence for each time of overheads, head switch and bus that came out below zero, with how far in
// standard errors.
std::vector<std::string> times_below_zero(const model::DriveModel& model);
// These, and one for seeks to a longer distance that take clearly less time. The values stay in the model
// as measured.
std::vector<std::string> impossible_values(const model::DriveModel& model);

}  // namespace platter::extract
