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

// Where the order breaks for the first time; else right behind the spares of the
// longest stride.
std::uint64_t Zone::telling_track(std::uint64_t behind, std::uint64_t track) const {
  const std::uint64_t one_repetition = order.met_before_cycle() + order.cycle();
  const auto next_break = order.break_behind(behind);
  if (next_break && *next_break <= one_repetition) return std::min(track, *next_break);
  const SpareSeries* longest = nullptr;
  for (const SpareSeries& series : slots.series())
    if (series.count == SpareSeries::kOpen && (!longest || series.stride > longest->stride))
      longest = &series;
  if (!longest) return track;
  const auto next = slots.occurrence_from(*longest, first_slot(track) + 1);
  if (!next || *next == 0) return track;
  const std::uint64_t telling = slots.lengths().track_of(slots.range(*longest, *next - 1).end);
  return telling > behind && telling <= track ? telling : track;
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
