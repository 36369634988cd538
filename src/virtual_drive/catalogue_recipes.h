// Drives of the catalogue that nobody built: one for each scheme of sparing, for each trouble that
// address translation makes, and for each thing in which caches differ. Small recipes here, large
// layouts when they are asked for.
#pragma once

#include <span>
#include <string_view>

#include "model/drive_model.h"

namespace platter::virtual_drive {

struct InventedDrive {
  std::string_view name, description;
  model::DriveModel (*make)(const InventedDrive& drive);
};

std::span<const InventedDrive> invented_drives();

// Vendor, product, serial number and source of a drive that nobody built.
void name_invented(const InventedDrive& drive, model::DriveModel& model);

// Drives of the catalogue as they are built today: large, and without address translation. Each is
// put together of what was published of such drives; docs/virtual-drives.md names it.
std::span<const InventedDrive> modern_drives();

}  // namespace platter::virtual_drive
