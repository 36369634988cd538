// Power conditions for a virtual drive: which it has, how long it takes to wake from each, and when
// it goes there by itself.
#pragma once

#include "model/drive_model.h"

namespace platter::virtual_drive {

// All follows from the drive's serial number and name.
void draw_power(model::DriveModel& model, bool page_changeable);

}  // namespace platter::virtual_drive
