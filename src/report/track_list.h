// The tracks of a layout that hold blocks, in the order of their blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/layout_map.h"

namespace platter::report {

struct MappedTrack {
  std::uint64_t first_lbn = 0;
  std::uint64_t blocks = 0;         // LBNs of the sequence on this track; remaps are not followed
  std::uint32_t cylinder = 0, head = 0, zone = 0;
  std::uint32_t slots = 0;          // physical sectors around
  engine::Angle angle = 0;          // where the sector of the first LBN begins
};

void for_each_track(const engine::LayoutMap& map, const std::function<void(const MappedTrack&)>& act);

// The track that holds a slot; blocks = 0 if no LBN is on it.
MappedTrack mapped_track(const engine::LayoutMap& map, const engine::Track& track);

}  // namespace platter::report
