// A layout spelled out, the oracle of look-ups: every slot in its order, by playing the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "model/drive_model.h"

namespace platter::engine::testing {

struct Place {
  std::int64_t cylinder, head;
  std::uint64_t first_slot;  // of its track
  std::uint32_t sector, sectors;
  double angle_rev;
};

inline void play(const model::LayoutNode& node, std::int64_t cylinder, std::int64_t head,
                 double angle, std::vector<Place>& places) {
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const std::int64_t c = cylinder + node.cylinder + std::int64_t{i} * node.cylinder_step;
    const std::int64_t h = head + node.head + std::int64_t{i} * node.head_step;
    const double a = angle + node.angle_rev + i * node.angle_step_rev;
    const std::uint64_t first = places.size();
    for (std::uint32_t s = 0; s < node.sectors; ++s)
      places.push_back({c, h, first, s, node.sectors, a + double(s) / node.sectors});
    for (const auto& child : node.children) play(child, c, h, a, places);
  }
}

}  // namespace platter::engine::testing
