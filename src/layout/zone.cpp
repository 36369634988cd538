#include "layout/zone.h"

#include <algorithm>

namespace platter::layout {

void Zone::leave_front_free(std::uint64_t track, std::uint64_t front) {
  const std::uint64_t first = first_slot(track), end = first + sectors_of(track);
  const auto free = slots.free_ranges(first, end);
  std::uint64_t until = first + front;
  if (!free.empty() && free.front().first == first) until = std::max(until, free.front().end);
  if (until == first) return;
  const SlotRange range{first, std::min(until + 1, end)};
  slots.measured(
      range, front > 0 ? std::vector<SlotRange>{{first, first + front}} : std::vector<SlotRange>{});
}

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
