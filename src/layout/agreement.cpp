#include "layout/agreement.h"

#include <algorithm>
#include <utility>

namespace platter::layout {

bool Agreement::matches(const Zone& zone, std::uint64_t lbn, const Answer& answer) const {
  if (map_.remaps.contains(lbn) || !zone.not_understood.empty()) return true;
  const Numbering& numbering = numbers_.numbering();
  const Expected here = expected(zone, lbn);
  if (here.place != track_of(answer.place)) return false;
  if (!numbering.from_index)
    return answer.place.sector == numbering.base + numbers_.number_at(zone, here);
  if (answer.remapped) return false;  // on its track, it may lie anywhere there
  // Only distances within a track can be told, where its first block was looked up.
  const auto first = survey_.known().find(lbn - here.rank);
  if (here.rank == 0 || first == survey_.known().end() || first->second.remapped ||
      track_of(first->second.place) != here.place || lbn - here.rank < zone.first_lbn)
    return true;
  const std::uint64_t sectors = zone.sectors_of(here.track);
  const std::uint64_t distance = here.slot - expected(zone, first->first).slot;
  return (numbers_.from_base(first->second.place.sector) + distance) % sectors ==
         numbers_.from_base(answer.place.sector);
}

Outcome Agreement::agrees(const Zone& zone, std::uint64_t lbn) {
  const Answer& answer = survey_.at(lbn);
  if (numbers_.tells_base(answer.place.sector)) return Outcome::other_numbers;
  return matches(zone, lbn, answer) ? Outcome::yes : Outcome::no;
}

Outcome Agreement::boundary_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  const Outcome there = first_agrees(zone, track, end);
  // Counted from the index a place on the track says little: the last block of the one before, too.
  if (there != Outcome::yes || !numbers_.numbering().from_index) return there;
  return last_before_agrees(zone, track, end);
}

Outcome Agreement::first_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  std::uint64_t lbn = std::min(zone.first_block(track), end - 1);
  while (map_.remaps.contains(lbn) && lbn + 1 < end) ++lbn;
  return agrees(zone, lbn);
}

Outcome Agreement::last_before_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  std::uint64_t behind = std::min(zone.first_block(track), end - 1);
  while (behind > zone.first_lbn && map_.remaps.contains(behind - 1)) --behind;
  return behind == zone.first_lbn ? Outcome::yes : agrees(zone, behind - 1);
}

// What disagrees behind the boundary, or in front of it, does so at all those that follow.
Result<std::uint64_t> Agreement::last_agreeing(std::size_t zone, std::uint64_t good,
                                               std::uint64_t bad) {
  const std::uint64_t end = map_.end_of(zone);
  const Outcome first = first_agrees(map_.zones[zone], bad, end);
  if (first.stops()) return first;
  const auto side = first == Outcome::yes ? &Agreement::last_before_agrees
                                          : &Agreement::first_agrees;
  const std::uint64_t known = good;
  for (const auto agree : {side, &Agreement::boundary_agrees}) {
    while (bad - good > 1) {
      const std::uint64_t middle = map_.zones[zone].telling_track(good, good + (bad - good) / 2);
      const Outcome there = (this->*agree)(map_.zones[zone], middle, end);
      if (there.stops()) return there;
      (there == Outcome::yes ? good : bad) = middle;
    }
    const Outcome there = boundary_agrees(map_.zones[zone], good, end);
    if (there.stops()) return there;
    if (there == Outcome::yes) break;
    bad = std::exchange(good, known);
  }
  return good;
}

}  // namespace platter::layout
