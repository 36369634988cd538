// A layout as stretches: consecutive LBNs in consecutive sectors of one track.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

struct TrackStretch {
  std::uint64_t lbn = 0, blocks = 0;
  std::uint32_t cylinder = 0, head = 0, sector = 0, sectors = 0;
  double angle_rev = 0;  // of the track
};

// In the order of LBNs, remapped blocks where they were remapped from. `map` is the layout's.
std::vector<TrackStretch> stretches_of(const model::Layout& layout, const engine::LayoutMap& map);

}  // namespace platter::emit_disksim
