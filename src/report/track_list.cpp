#include "report/track_list.h"

namespace platter::report {

MappedTrack mapped_track(const engine::LayoutMap& map, const engine::Track& track) {
  MappedTrack mapped;
  mapped.cylinder = track.cylinder;
  mapped.head = track.head;
  mapped.zone = track.zone;
  mapped.slots = track.sectors;
  mapped.first_lbn = map.lbn_at_or_after_slot(track.first_slot);
  mapped.blocks = map.lbn_at_or_after_slot(track.first_slot + track.sectors) - mapped.first_lbn;
  mapped.angle = track.angle;
  std::uint64_t slot = track.first_slot;
  while (mapped.blocks > 0 && map.lbn_at_or_after_slot(slot + 1) == mapped.first_lbn) ++slot;
  if (mapped.blocks > 0) mapped.angle = map.angle_of_slot(track, slot);
  return mapped;
}

void for_each_track(const engine::LayoutMap& map, const std::function<void(const MappedTrack&)>& act) {
  for (std::uint64_t slot = 0; slot < map.slots();) {
    const engine::Track track = map.track_of_slot(slot);
    slot = track.first_slot + track.sectors;
    const MappedTrack mapped = mapped_track(map, track);
    if (mapped.blocks > 0) act(mapped);
  }
}

}  // namespace platter::report
