// What a calibration changed and how the judge's half stands, for people and for programs.
#pragma once

#include <string>

#include "calibrate/calibrate.h"

namespace platter::calibrate {

// The first sentence of outcome_text: whether the model was changed, and by what that was decided.
std::string verdict_text(const Outcome& outcome);
std::string outcome_text(const Outcome& outcome);
std::string outcome_json(const Outcome& outcome);

}  // namespace platter::calibrate
