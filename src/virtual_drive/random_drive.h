// Whole drives around layouts from recipes: mechanics, seek curve, overheads, cache and firmware.
// docs/virtual-drives.md has the ranges from which they are drawn.
#pragma once

#include <cstdint>

#include "model/drive_model.h"
#include "virtual_drive/modern_drive.h"
#include "virtual_drive/random_layout.h"

namespace platter::virtual_drive {

struct Mechanics {
  std::uint32_t rpm = 7200;
  double head_switch_ms = 0.8, write_settle_ms = 0.5;
  double first_seek_ms = 1.2, last_seek_ms = 16;  // over one cylinder, and over all
};

// Skews of the recipe are made to fit: a head, or the arm, is on the next track just in time.
void fit_skews(Recipe& recipe, const Mechanics& mechanics);

// The curve with so much more time, from that over one cylinder to that over the longest distance,
// by the square root of the distance. A seek takes some time at least.
model::Seek slower(const model::Seek& seek, double first_ms, double last_ms);

// The layout with these mechanics, and a cache, overheads and firmware that are nobody's in
// particular: a read segment cache with write-back, page 40h in three formats, both defect lists.
// Default imperfections. The caller names the drive.
model::DriveModel drive_around(RandomLayout layout, const Mechanics& mechanics);

// Everything follows from the seed.
model::DriveModel random_drive(std::uint64_t seed, const Limits& limits = {});

// Drives of today drawn at random; docs/virtual-drives.md names every range that is written in
// modern_random.cpp.
ModernDrive modern_random_recipe(std::uint64_t seed);

// Everything follows from the seed.
model::DriveModel modern_random_drive(std::uint64_t seed);

}  // namespace platter::virtual_drive
