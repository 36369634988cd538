#include "layout/zone.h"

namespace platter::layout {

TrackLengths lengths_of(const Zone& zone, const TrackOrder& order) {
  if (zone.head_sectors.empty()) return TrackLengths(zone.slots.sectors());
  std::vector<std::uint32_t> once, cycle;
  // An order that still goes on from head to head: as far as there are heads.
  const std::uint64_t repetitions = order.head_step() == 0 ? 0 : zone.head_sectors.size();
  const std::uint64_t ends = order.met_before_cycle() + repetitions * order.cycle();
  for (std::uint64_t track = 0; track < ends + order.cycle(); ++track)
    (track < ends ? once : cycle).push_back(zone.sectors_on(order.at(track).head));
  return {once, cycle};
}

}  // namespace platter::layout
