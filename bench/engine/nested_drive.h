// A drive as DIXtrac's g4 layouts describe them, invented: 8 heads, tracks of one surface in groups
// that go back and forth over the cylinders, 20 zones, thousands of slipped defects.
#pragma once

#include <cstdint>
#include <random>

#include "model/drive_model.h"

namespace platter::bench {

inline model::LayoutNode group(std::int32_t head, std::int32_t cylinders, bool down,
                               std::uint32_t sectors, double skew) {
  model::LayoutNode tracks;
  tracks.count = static_cast<std::uint32_t>(cylinders);
  tracks.cylinder = down ? cylinders - 1 : 0;
  tracks.cylinder_step = down ? -1 : 1;
  tracks.head = head;
  tracks.angle_rev = 0.21 * head;
  tracks.angle_step_rev = skew;
  tracks.sectors = sectors;
  return tracks;
}

inline model::LayoutNode zone(std::int32_t first_cylinder, std::uint32_t groups,
                              std::uint32_t sectors) {
  constexpr std::int32_t kHeads = 8, kGroup = 31;
  model::LayoutNode zone;
  zone.count = groups;
  zone.cylinder = first_cylinder;
  zone.cylinder_step = kGroup;
  zone.angle_rev = 0.137 * first_cylinder;
  zone.angle_step_rev = 0.31;
  model::LayoutNode pair;  // one surface up, the next one down
  pair.count = kHeads / 2;
  pair.head_step = 2;
  pair.angle_step_rev = 0.42;
  pair.children = {group(0, kGroup, false, sectors, 0.17), group(1, kGroup, true, sectors, 0.17)};
  zone.children = {pair};
  return zone;
}

inline model::Layout nested_layout(std::uint32_t slips) {
  constexpr std::uint32_t kZones = 20, kGroups = 78, kGroup = 31, kHeads = 8;
  model::Layout layout;
  std::uint64_t slots = 0;
  for (std::uint32_t z = 0; z < kZones; ++z) {
    const std::uint32_t sectors = 768 - 11 * z;
    layout.zones.push_back(zone(static_cast<std::int32_t>(z * kGroups * kGroup), kGroups, sectors));
    slots += std::uint64_t{kGroups} * kGroup * kHeads * sectors;
  }
  std::mt19937_64 random(4);
  for (std::uint64_t i = 0; i < slips; ++i) {
    const std::uint64_t room = slots / slips;
    layout.skips.push_back({i * room + random() % (room - 1), 1, 1, 0});
  }
  layout.method = "invented";
  return layout;
}

// The mechanics of another drive around such a layout.
inline model::DriveModel nested_drive(model::DriveModel drive, std::uint32_t slips = 3400) {
  drive.identity.name = "nested layout";
  drive.layout = nested_layout(slips);
  drive.identity.blocks = 0;
  return drive;
}

}  // namespace platter::bench
