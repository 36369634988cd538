// Random layouts, for property tests: head-first, cylinder and surface serpentines, gaps between
// zones, densities by head, regular and irregular skips, remapped blocks.
#pragma once

#include <random>

#include "model/drive_model.h"

namespace platter::engine::testing {

inline std::uint32_t uniform(std::mt19937_64& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random() % (high - low + 1));
}

inline double uniform_rev(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

inline model::LayoutNode track_run(std::uint32_t tracks, std::uint32_t sectors) {
  model::LayoutNode run;
  run.count = tracks;
  run.sectors = sectors;
  return run;
}

// One zone from `cylinder` on; returns it with the cylinders that it takes.
inline model::LayoutNode random_zone(std::mt19937_64& random, std::uint32_t heads,
                                     std::int32_t cylinder, std::uint32_t cylinders) {
  const std::uint32_t sectors = uniform(random, 5, 60);
  const double skew = uniform_rev(random);
  model::LayoutNode zone;
  zone.cylinder = cylinder;
  zone.angle_rev = uniform_rev(random);
  zone.angle_step_rev = uniform_rev(random);
  auto up = track_run(heads, sectors);
  up.head_step = 1;
  up.angle_step_rev = skew;
  const auto last_head = static_cast<std::int32_t>(heads) - 1;
  switch (uniform(random, 0, 3)) {
    case 3: {  // head-first, every head with its own density and angle
      zone.count = cylinders;
      zone.cylinder_step = 1;
      for (std::int32_t head = 0; head <= last_head; ++head) {
        auto track = track_run(1, sectors + uniform(random, 0, 9));
        track.head = head;
        track.angle_rev = uniform_rev(random);
        zone.children.push_back(track);
      }
      break;
    }
    case 0:  // head-first
      zone.count = cylinders;
      zone.cylinder_step = 1;
      zone.children = {up};
      break;
    case 1: {  // cylinder serpentine
      auto down = up;
      down.cylinder = 1;
      down.head = last_head;
      down.head_step = -1;
      down.angle_rev = uniform_rev(random);
      model::LayoutNode pairs;
      pairs.count = cylinders / 2;
      pairs.cylinder_step = 2;
      pairs.angle_step_rev = zone.angle_step_rev;
      pairs.children = {up, down};
      if (pairs.count > 0) zone.children.push_back(pairs);
      if (cylinders % 2 == 1) {
        auto odd = up;
        odd.cylinder = static_cast<std::int32_t>(cylinders) - 1;
        zone.children.push_back(odd);
      }
      break;
    }
    default:  // surface serpentine
      for (std::int32_t head = 0; head <= last_head; ++head) {
        auto run = track_run(cylinders, sectors + uniform(random, 0, 3));
        run.head = head;
        run.cylinder = head % 2 == 0 ? 0 : static_cast<std::int32_t>(cylinders) - 1;
        run.cylinder_step = head % 2 == 0 ? 1 : -1;
        run.angle_rev = uniform_rev(random);
        run.angle_step_rev = skew;
        zone.children.push_back(run);
      }
  }
  return zone;
}

inline std::uint64_t slots_in(const model::LayoutNode& node) {
  std::uint64_t one = node.sectors;
  for (const auto& child : node.children) one += slots_in(child);
  return one * node.count;
}

inline model::Layout random_layout(std::mt19937_64& random) {
  model::Layout layout;
  const std::uint32_t heads = uniform(random, 1, 5);
  std::int32_t cylinder = static_cast<std::int32_t>(uniform(random, 0, 2));
  std::uint64_t slots = 0;
  for (std::uint32_t zone = uniform(random, 1, 4); zone > 0; --zone) {
    const std::uint32_t cylinders = uniform(random, 1, 30);
    layout.zones.push_back(random_zone(random, heads, cylinder, cylinders));
    slots += slots_in(layout.zones.back());
    cylinder += static_cast<std::int32_t>(cylinders + uniform(random, 0, 2));
  }
  std::uint64_t at = uniform(random, 0, 10);
  while (at + 60 < slots) {
    model::Skip skip;
    skip.first_slot = at;
    skip.length = uniform(random, 1, 4);
    if (random() % 2 == 0) {
      skip.stride = skip.length + uniform(random, 1, 20);
      skip.count = uniform(random, 2,
                           2 + static_cast<std::uint32_t>((slots - at) / skip.stride / 3));
      if (at + skip.count * skip.stride >= slots) break;
    }
    layout.skips.push_back(skip);
    at += (skip.count - 1) * skip.stride + skip.length + uniform(random, 0, 200);
  }
  if (layout.skips.size() > 2 && random() % 2 == 0)
    layout.remaps.push_back({uniform(random, 0, 20), layout.skips.back().first_slot});
  return layout;
}

}  // namespace platter::engine::testing
