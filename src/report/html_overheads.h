// Where the time of one request goes: overheads, seek, rotation, media, bus.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::report::html {

std::string request_bars(const model::DriveModel& model);

}  // namespace platter::report::html
