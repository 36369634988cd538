#include "layout/agreement.h"

#include <algorithm>

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
  std::uint64_t lbn = std::min(zone.first_block(track), end - 1);
  std::uint64_t before = lbn;
  while (map_.remaps.contains(lbn) && lbn + 1 < end) ++lbn;
  if (const Outcome there = agrees(zone, lbn); there != Outcome::yes) return there;
  // Counted from the index a place on the track says little: the last block of the one before, too.
  while (before > zone.first_lbn && map_.remaps.contains(before - 1)) --before;
  if (!numbers_.numbering().from_index || before == zone.first_lbn) return Outcome::yes;
  return agrees(zone, before - 1);
}

Result<std::uint64_t> Agreement::last_agreeing(std::size_t zone, std::uint64_t good,
                                               std::uint64_t bad) {
  while (bad - good > 1) {
    const std::uint64_t middle = map_.zones[zone].telling_track(good, good + (bad - good) / 2);
    const Outcome there = boundary_agrees(map_.zones[zone], middle, map_.end_of(zone));
    if (there.stops()) return there;
    (there == Outcome::yes ? good : bad) = middle;
  }
  return good;
}

}  // namespace platter::layout
