// The chapter of the map: zones as rings, rates and shares, the order of tracks, skews, defects.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::report::html {

std::string map_chapter(const model::DriveModel& model, const std::string& id);

}  // namespace platter::report::html
