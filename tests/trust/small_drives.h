// Drives that are small enough for campaigns: one characterization with writes takes a second or
// so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/drive_model.h"

namespace trust {

struct SmallDrive {
  std::string_view name, what;
};
std::span<const SmallDrive> small_drives();

// One of those, or what follows "virtual:" (a name of the catalogue, random-N, FILE.json).
platter::model::DriveModel model_of(const std::string& name, std::uint32_t lowest_aligned);

}  // namespace trust
