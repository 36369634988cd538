#include "virtual_drive/shingled_drive.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "model/validate.h"
#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_drive.h"

namespace platter::virtual_drive {

void shingle(const ShingledDrive& drive, model::DriveModel& model) {
  constexpr double kMib = 1 << 20, kPasses = 3, kBetween_ms = 20;
  const double block_bytes = model.identity.block_bytes;
  const double in_physical = model.identity.physical_block_bytes / block_bytes;
  const auto blocks = [&](double bytes) {
    return invented(in_physical * std::round(bytes / block_bytes / in_physical), "blocks");
  };
  model::Shingling& shingling = model.shingling.emplace();
  shingling.kind = "drive-managed";
  shingling.method = "invented";
  shingling.band_blocks = blocks(drive.band_mib * kMib);
  shingling.media_cache_blocks = blocks(drive.cache_gb * 1e9);
  shingling.map_entries = invented(drive.entries);
  shingling.cleans_when_idle = invented(drive.cleans_when_idle ? 1 : 0);
  shingling.idle_threshold = invented(drive.idle_threshold_ms, "ms");
  const double track_blocks = static_cast<double>(model::count_blocks(model.layout)) /
                              model.identity.cylinders / model.identity.heads;
  const double block_ms = 1e-6 * model::revolution_ns(model.rotation) / track_blocks;
  shingling.band_cleaning = invented(
      std::round(kPasses * *shingling.band_blocks.value * block_ms + kBetween_ms), "ms");
}

model::DriveModel random_shingled_drive(std::uint64_t seed) {
  constexpr double kLeastBytes = 500e9, kMostBytes = 8e12;
  model::DriveModel model;
  double bytes = 0;
  for (std::uint64_t n = 1000 * seed; bytes < kLeastBytes || bytes > kMostBytes; ++n) {
    model = modern_random_drive(n);
    bytes = static_cast<double>(model.identity.blocks) * model.identity.block_bytes;
  }
  std::mt19937_64 random(~seed);
  Dice dice(random);
  ShingledDrive drive;
  drive.band_mib = dice.pick32(15, 40);
  // Smaller than those of real drives, so that a host's journal holds what fills it.
  drive.cache_gb = dice.uniform(0.3, 1.2);
  drive.entries = dice.pick32(10'000, 40'000);
  drive.cleans_when_idle = dice.chance(0.65);
  drive.idle_threshold_ms = std::round(dice.uniform(300, 3000));
  shingle(drive, model);
  constexpr std::uint32_t kDeviceManaged = 2;
  const double says = dice.uniform(0, 1);
  model.firmware->zoned = says < 0.25 ? kDeviceManaged : 0;
  model.firmware->trims = says > 0.75 && model.firmware->ata;
  model.identity.name = fmt::format("modern shingled drive {}", seed);
  model.identity.product = "MODERN-SMR";
  model.identity.serial = fmt::format("VIRTUAL-SMR-{}", seed);
  model.provenance.source = fmt::format("drawn at random, seed {}", seed);
  model.provenance.seed = seed;
  return model;
}

}  // namespace platter::virtual_drive
