// What a calibration changed and how the judge's half stands, for people and for programs.
#pragma once

#include <string>

#include "calibrate/calibrate.h"

namespace platter::calibrate {

std::string outcome_text(const Outcome& outcome);
std::string outcome_json(const Outcome& outcome);

}  // namespace platter::calibrate
