// The drive that replays are tried on: the engine's small one, with a name and a size.
#pragma once

#include <cstdint>

#include "../engine/small_drive.h"

namespace platter::replay::testing {

constexpr std::uint64_t kBlocks = 4 * (60 * 20 + 40 * 16);

inline model::DriveModel drive_model(bool cache = false) {
  model::DriveModel model = engine::testing::small_drive();
  model.identity.blocks = kBlocks;
  model.identity.vendor = "ACME";
  model.identity.product = "SMALL";
  if (cache) model.cache = engine::testing::small_cache();
  return model;
}

}  // namespace platter::replay::testing
