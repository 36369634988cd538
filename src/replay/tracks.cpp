#include "replay/tracks.h"

#include <utility>

namespace platter::replay {

trace::TrackOf tracks_of(engine::LayoutMap map) {
  return [map = std::move(map)](std::uint64_t lbn) -> LbnRange {
    const engine::Track track = map.track_of_slot(map.slot_of_lbn(lbn));
    const std::uint64_t first = map.lbn_at_or_after_slot(track.first_slot);
    const std::uint64_t end = map.lbn_at_or_after_slot(track.first_slot + track.sectors);
    return end > first ? LbnRange{first, end - 1} : LbnRange{1, 0};
  };
}

}  // namespace platter::replay
