#include "emit/disksim/track_stretches.h"

#include <algorithm>

#include "emit/disksim/g1_geometry.h"

namespace platter::emit_disksim {

std::vector<TrackStretch> stretches_of(const model::Layout& layout, const engine::LayoutMap& map) {
  std::vector<TrackStretch> all;
  std::uint64_t lbn = 0;
  for (const Interval& run : slots_with_blocks(layout, map.slots())) {
    for (std::uint64_t slot = run.first; slot < run.end;) {
      const engine::Track track = map.track_of_slot(slot);
      const std::uint64_t end = std::min(run.end, track.first_slot + track.sectors);
      all.push_back({lbn, end - slot, track.cylinder, track.head,
                     static_cast<std::uint32_t>(slot - track.first_slot), track.sectors,
                     engine::rev_from_angle(track.angle)});
      lbn += end - slot;
      slot = end;
    }
  }
  return all;
}

}  // namespace platter::emit_disksim
