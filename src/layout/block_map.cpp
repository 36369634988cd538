#include "layout/block_map.h"

#include <algorithm>

namespace platter::layout {

std::size_t BlockMap::zone_of(std::uint64_t lbn) const {
  const auto next = std::partition_point(zones.begin(), zones.end(),
                                         [lbn](const Zone& zone) { return zone.first_lbn <= lbn; });
  return static_cast<std::size_t>(next - zones.begin()) - 1;
}

std::uint64_t BlockMap::end_of(std::size_t zone) const {
  return zone + 1 < zones.size() ? zones[zone + 1].first_lbn : blocks;
}

std::uint64_t BlockMap::tracks_of(std::size_t zone) const {
  return expected(zones[zone], end_of(zone) - 1).track + 1;
}

std::optional<TrackInZone> BlockMap::find(TrackPlace place) const {
  std::optional<TrackInZone> spare;  // a track that only lies among those of a zone
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const Zone& zone = zones[i];
    const auto track = zone.order.find(place);
    if (!track || *track >= tracks_of(i)) continue;
    if (zone.first_block(*track) < zone.first_block(*track + 1)) return TrackInZone{i, *track};
    if (!spare) spare = TrackInZone{i, *track};
  }
  return spare;
}

}  // namespace platter::layout
