// Where in the turn a sector ends, which is when a read of it completes, by a map of the layout.
#pragma once

#include <cstdint>

#include "engine/layout_map.h"

namespace platter::estimate {

// On its track, whose angle need not be known: in parts of a turn from where the track's first slot
// begins to where the LBN's sector ends.
struct OnTrack {
  std::uint64_t track_slot = 0;
  double end_rev = 0, width_rev = 0;
};

inline OnTrack on_track(const engine::LayoutMap& map, std::uint64_t lbn) {
  const std::uint64_t slot = map.slot_of_lbn(lbn);
  const engine::Track track = map.track_of_slot(slot);
  const double width = 1.0 / track.sectors;
  return {track.first_slot, static_cast<double>(slot - track.first_slot + 1) * width, width};
}

// By the map's angles, in revolutions, not reduced modulo 1.
inline double sector_end_rev(const engine::LayoutMap& map, std::uint64_t lbn) {
  const std::uint64_t slot = map.slot_of_lbn(lbn);
  const engine::Track track = map.track_of_slot(slot);
  return engine::rev_from_angle(map.angle_of_slot(track, slot)) + 1.0 / track.sectors;
}

}  // namespace platter::estimate
