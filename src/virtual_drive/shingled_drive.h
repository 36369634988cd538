// Drives of today whose tracks are shingled, managed by the drive: what Aghayev and Desnoyers
// (Skylight, FAST 2015) found in such drives, around a layout as any other.
#pragma once

#include <cstdint>

#include "model/drive_model.h"

namespace platter::virtual_drive {

struct ShingledDrive {
  double band_mib = 30, cache_gb = 8;
  std::uint32_t entries = 180'000;
  bool cleans_when_idle = true;
  double idle_threshold_ms = 1200;
};

// A band is cleaned by reading it, writing it aside, and writing it home.
void shingle(const ShingledDrive& drive, model::DriveModel& model);

// As modern-random-N, of 500 GB at least, with bands and a media cache of any
// policy that was found, and a small media cache.
model::DriveModel random_shingled_drive(std::uint64_t seed);

}  // namespace platter::virtual_drive
