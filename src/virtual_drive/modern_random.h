// Drives of today drawn at random; docs/virtual-drives.md names every range that is written in
// modern_random.cpp.
#pragma once

#include <cstdint>

#include "model/drive_model.h"
#include "virtual_drive/modern_drive.h"

namespace platter::virtual_drive {

ModernDrive modern_random_recipe(std::uint64_t seed);

// Everything follows from the seed.
model::DriveModel modern_random_drive(std::uint64_t seed);

}  // namespace platter::virtual_drive
