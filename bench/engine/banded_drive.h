// A drive of today, invented: 20 TB on 20 surfaces in 38,560 bands of 300 tracks, up and down the
// surfaces in turn, inwards and outwards in turn; each surface with 45 borders of its own at which
// its tracks get shorter, all skews in whole servo wedges; irregular tracks and single slips.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "model/drive_model.h"

namespace platter::bench {

struct BandedRecipe {
  std::uint32_t irregular_tracks = 5000, single_slips = 0;
  // As a drive is measured that nothing is taken for granted of: each band a zone, at an angle of
  // its own and of a track more or less; else rounds repeat as far as nothing changes.
  bool bands_are_zones = false;
};

class BandedDrive {
 public:
  explicit BandedDrive(const BandedRecipe& recipe) : recipe_(recipe) { draw_borders(); }

  model::Layout layout() {
    model::Layout layout;
    for (std::uint32_t round = 0; round < kRounds;) {
      std::uint32_t same = 2;
      while (round + same < kRounds && sizes(round + same) == sizes(round)) same += 2;
      if (recipe_.bands_are_zones)
        for (std::uint32_t i = 0; i < same; i += 2) add_bands(round + i, layout.zones);
      else
        layout.zones.push_back(zone(round, same / 2));
      round += same;
    }
    for (const model::LayoutNode& zone : layout.zones) slots_ += slots_in(zone);
    layout.skips = skips();
    layout.method = "invented";
    return layout;
  }

 private:
  static constexpr std::uint32_t kSurfaces = 20, kRounds = 1928, kTracks = 300, kBorders = 45;
  static constexpr std::uint32_t kWedges = 384, kSkew = 31, kSwitch = 120;

  static std::uint64_t slots_in(const model::LayoutNode& node) {
    std::uint64_t one = node.sectors;
    for (const model::LayoutNode& child : node.children) one += slots_in(child);
    return one * node.count;
  }
  static double rev(std::uint64_t wedges) {
    return static_cast<double>(wedges % kWedges) / kWedges;
  }

  void draw_borders() {
    borders_.resize(kSurfaces);
    for (auto& borders : borders_) {
      for (std::uint32_t i = 0; i < kBorders; ++i)
        borders.push_back(2 * static_cast<std::uint32_t>(random_() % (kRounds / 2)));
      std::ranges::sort(borders);
      density_.push_back(0.97 + 0.06 * static_cast<double>(random_() % 1000) / 1000);
    }
  }
  // Of the tracks of each surface.
  std::vector<std::uint32_t> sizes(std::uint32_t round) const {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t surface = 0; surface < kSurfaces; ++surface) {
      const auto& borders = borders_[surface];
      const auto passed = std::ranges::upper_bound(borders, round) - borders.begin();
      sizes.push_back(static_cast<std::uint32_t>(
          density_[surface] * (580 - 310.0 * static_cast<double>(passed) / kBorders)));
    }
    return sizes;
  }
  // Two rounds, up the surfaces and down again.
  void add_bands(std::uint32_t round, std::vector<model::LayoutNode>& bands) {
    const std::vector<std::uint32_t> size = sizes(round);
    for (std::uint32_t i = 0; i < 2 * kSurfaces; ++i) {
      const std::uint32_t surface = i < kSurfaces ? i : 2 * kSurfaces - 1 - i;
      const bool outward = i % 2 == 1;
      model::LayoutNode band;
      band.count = kTracks -
                   (recipe_.bands_are_zones ? static_cast<std::uint32_t>(random_() % 3) : 0);
      const std::uint32_t first = (recipe_.bands_are_zones ? round : 0) + i / kSurfaces;
      band.cylinder = static_cast<std::int32_t>(first * kTracks + (outward ? band.count - 1 : 0));
      band.cylinder_step = outward ? -1 : 1;
      band.head = static_cast<std::int32_t>(surface);
      band.angle_rev = recipe_.bands_are_zones ? static_cast<double>(random_() >> 11) * 0x1p-53
                                               : rev(i * (kTracks * kSkew + kSwitch));
      band.angle_step_rev = rev(kSkew);
      band.sectors = size[surface];
      bands.push_back(band);
    }
  }
  model::LayoutNode zone(std::uint32_t round, std::uint32_t repeats) {
    model::LayoutNode zone;
    zone.count = repeats;
    zone.cylinder = static_cast<std::int32_t>(round * kTracks);
    zone.cylinder_step = 2 * kTracks;
    zone.angle_rev = rev(random_());
    zone.angle_step_rev = rev(2 * kSurfaces * (kTracks * kSkew + kSwitch));
    add_bands(round, zone.children);
    return zone;
  }
  // Seven of ten irregular tracks lack 1 to 8 sectors, the others up to all of them.
  std::vector<model::Skip> skips() {
    std::vector<model::Skip> drawn;
    for (std::uint32_t i = 0; i < recipe_.irregular_tracks; ++i)
      drawn.push_back({random_() % slots_, 1 + random_() % (random_() % 10 < 7 ? 8 : 500), 1, 0});
    for (std::uint32_t i = 0; i < recipe_.single_slips; ++i)
      drawn.push_back({random_() % slots_, 1, 1, 0});
    std::ranges::sort(drawn, {}, &model::Skip::first_slot);
    std::vector<model::Skip> apart;
    std::uint64_t free = 0;
    for (const model::Skip& skip : drawn) {
      if (skip.first_slot <= free || skip.length >= slots_ - skip.first_slot) continue;
      apart.push_back(skip);
      free = skip.first_slot + skip.length;
    }
    return apart;
  }

  BandedRecipe recipe_;
  std::mt19937_64 random_{20261125};
  std::vector<std::vector<std::uint32_t>> borders_{};  // rounds, of each surface
  std::vector<double> density_{};
  std::uint64_t slots_ = 0;
};

// The mechanics of another drive around such a layout.
inline model::DriveModel banded_drive(model::DriveModel drive, const BandedRecipe& recipe) {
  drive.layout = BandedDrive(recipe).layout();
  drive.identity.name = "20 TB of bands";
  drive.identity.blocks = 0;
  return drive;
}

}  // namespace platter::bench
