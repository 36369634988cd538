// Drives of the catalogue as they are built today: large, and without address translation. Each is
// put together of what was published of such drives; docs/virtual-drives.md names it.
#pragma once

#include <span>

#include "virtual_drive/catalogue_recipes.h"

namespace platter::virtual_drive {

std::span<const InventedDrive> modern_drives();

}  // namespace platter::virtual_drive
