// Drives of today whose tracks are shingled, managed by the drive: what Aghayev and Desnoyers
// (Skylight, FAST 2015) found in such drives, around a layout as any other.
#pragma once

#include <cstdint>
#include <string_view>

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

// A drive with zones that its host writes in order, around a layout as any other.
// "host-managed" and "host-aware": most zones are full, the last ones empty. "restricted":
// host-managed, and reads of what was not written are refused. "empty": host-managed, and nothing
// was written. False: no such kind.
[[nodiscard]] bool make_zoned(model::DriveModel& model, std::string_view kind);

}  // namespace platter::virtual_drive
