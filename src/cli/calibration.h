// What `platter calibrate` and studies ask of a calibration.
#pragma once

#include <string>
#include <vector>

#include "calibrate/calibrate.h"
#include "replay/result.h"

namespace platter::cli {

std::vector<std::string> group_names();
// Those of these names; all of them if there is none.
calibrate::Groups groups_named(const std::vector<std::string>& names);

// One half of the requests to learn from, the other to judge by.
calibrate::Measurement halved(replay::Result drive, bool learn_first);

}  // namespace platter::cli
