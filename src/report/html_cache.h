// The chapter of the cache: a diagram of what it does, and the evidence for it.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::report::html {

// The diagram alone; "" where the segments are not known.
std::string cache_diagram(const model::DriveModel& model);

}  // namespace platter::report::html
