#include "layout/block_repairs.h"

namespace platter::layout {

Outcome BlockRepairs::repair(std::size_t zone, std::uint64_t lbn) {
  if (const Outcome noted = note_remap(zone, lbn); noted != Outcome::no) return noted;
  return reinterpret(zone, lbn);
}

Outcome BlockRepairs::note_remap(std::size_t zone, std::uint64_t lbn) {
  if (map_.remaps.contains(lbn)) return Outcome::no;
  const Answer answer = survey_.at(lbn);
  if (!answer.remapped) {
    const Outcome alone = lies_alone(map_.zones[zone], lbn, map_.end_of(zone));
    if (alone != Outcome::yes) return alone;
  }
  map_.remaps[lbn] = answer.place;
  return Outcome::yes;
}

// The block is not where the zone has it, and both its neighbours are.
Outcome BlockRepairs::lies_alone(const Zone& here, std::uint64_t lbn, std::uint64_t end) {
  const Answer answer = survey_.at(lbn);
  if (agreement_.matches(here, lbn, answer)) return Outcome::no;
  const Expected wanted = expected(here, lbn);
  const TrackPlace seen = track_of(answer.place);
  // One slot further on the same track, or over to the next one, is how slips look.
  if (seen == wanted.place || seen == here.order.at(wanted.track + 1)) return Outcome::no;
  if (lbn == here.first_lbn) return Outcome::no;
  if (const Outcome met = agreement_.agrees(here, lbn - 1); met != Outcome::yes) return met;
  if (lbn + 1 >= end) return Outcome::no;
  if (const Outcome met = agreement_.agrees(here, lbn + 1); met != Outcome::yes) return met;
  // Counted from the index, agreement there says little.
  const bool told = !numbers_.numbering().from_index || gap_is_right(here, lbn);
  return told ? Outcome::yes : Outcome::no;
}

// The block's neighbours lie on its track, as far apart as the zone has them.
bool BlockRepairs::gap_is_right(const Zone& here, std::uint64_t lbn) {
  const scsi::PhysicalAddress before = survey_.at(lbn - 1).place, next = survey_.at(lbn + 1).place;
  const Expected wanted = expected(here, lbn), first = expected(here, lbn - 1);
  const std::uint64_t sectors = here.sectors_of(wanted.track);
  const std::uint64_t gap = expected(here, lbn + 1).slot - first.slot;
  return track_of(before) == track_of(next) && first.place == wanted.place &&
         (next.sector + sectors - before.sector) % sectors == gap;
}

Outcome BlockRepairs::reinterpret(std::size_t zone, std::uint64_t lbn) {
  Zone& here = map_.zones[zone];
  if (here.slots.slips().empty()) return Outcome::no;
  const Absorb absorb = here.slots.absorb();
  const bool renumbered = numbers_.numbering().renumbered;
  // Only where the block is on its track may it be the numbers that were taken wrongly.
  const bool on_its_track = expected(here, lbn).place == track_of(survey_.at(lbn).place) &&
                            !numbers_.numbering().from_index;
  for (const bool skip : {renumbered, !renumbered}) {
    const bool other_numbers = skip != renumbered;
    if (other_numbers && !on_its_track) continue;
    if (other_numbers && survey_.answers_back() && !numbers_.confirm_slips(here, lbn, skip))
      continue;
    for (const Absorb kind : {Absorb::next, Absorb::none, Absorb::previous}) {
      if (!other_numbers && kind == absorb) continue;
      if (here.slots.series().empty() && kind != absorb) continue;
      numbers_.leave_slips_unnumbered(skip);
      here.slots.set_absorb(kind);
      if (!all_match(here, lbn, other_numbers)) continue;
      // Lengths that were asked for mean another thing now.
      if (other_numbers && survey_.answers_back()) return Outcome::other_numbers;
      map_.unsettled = true;
      return Outcome::yes;
    }
  }
  numbers_.leave_slips_unnumbered(renumbered);
  here.slots.set_absorb(absorb);
  return Outcome::no;
}

// Everything seen up to the block, in its zone or in all; what was seen last first, for what is
// wrong shows there.
bool BlockRepairs::all_match(const Zone& here, std::uint64_t lbn, bool in_all_zones) {
  if (!agreement_.matches(here, lbn, survey_.at(lbn))) return false;
  const auto begin = in_all_zones ? survey_.known().begin()
                                  : survey_.known().lower_bound(here.first_lbn);
  for (auto known = survey_.known().upper_bound(lbn); known != begin;) {
    --known;
    const Zone& zone = map_.zones[map_.zone_of(known->first)];
    if (!agreement_.matches(zone, known->first, known->second)) return false;
  }
  return true;
}

void BlockRepairs::drop_needless_remaps() {
  const Numbering& numbering = numbers_.numbering();
  std::erase_if(map_.remaps, [&](const auto& remap) {
    const Zone& zone = map_.zones[map_.zone_of(remap.first)];
    const Expected here = expected(zone, remap.first);
    return here.place == track_of(remap.second) && !numbering.from_index &&
           remap.second.sector == numbering.base + numbers_.number_at(zone, here);
  });
}

}  // namespace platter::layout
