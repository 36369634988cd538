// A drive with zones that its host writes in order, around a layout as any other.
#pragma once

#include <string_view>

#include "model/drive_model.h"

namespace platter::virtual_drive {

// "host-managed" and "host-aware": most zones are full, the last ones empty. "restricted":
// host-managed, and reads of what was not written are refused. "empty": host-managed, and nothing
// was written. False: no such kind.
[[nodiscard]] bool make_zoned(model::DriveModel& model, std::string_view kind);

}  // namespace platter::virtual_drive
