// A diagram of what the cache does.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::report::html {

// "" where the segments are not known.
std::string cache_diagram(const model::DriveModel& model);

}  // namespace platter::report::html
