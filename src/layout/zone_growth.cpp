#include "layout/zone_growth.h"

#include <algorithm>

#include "layout/zone_end.h"

namespace platter::layout {

Outcome ZoneGrowth::pass(std::size_t zone, std::uint64_t track) {
  const std::uint64_t end = map.end_of(zone);
  const Outcome counted = attempts_.count(map.zones[zone].first_block(track));
  if (counted != Outcome::yes) return counted;
  const Outcome next = agreement.boundary_agrees(map.zones[zone], track + 1, end);
  if (next.stops()) return next;
  if (next == Outcome::no) {
    const Outcome repaired = repair_next(zone, track);
    if (repaired != Outcome::no) return repaired;
  }
  const Result<TrackMeasure> measured = meter.measure(map.zones[zone], track, end);
  if (measured.outcome != Outcome::yes) return measured.outcome;
  const TrackMeasure& found = measured.value;
  if (const Outcome fit = fit_length(zone, track, found); fit != Outcome::no) return fit;
  Zone& here = map.zones[zone];
  const std::uint64_t landing = found.last + 1;
  numbers.note_holes(!found.holes.empty());
  put_measured(here, track, found, landing >= survey.blocks());
  if (first_spares_end_zone(survey, reader, here, track, found))
    return starts_.begin(zone + 1, landing);
  if (landing < end) {
    const Outcome landed = agreement.agrees(here, landing);
    if (landed == Outcome::no) return land(zone, track, landing);
    if (landed.stops()) return landed;
  }
  map.unsettled |= here.slots.learn_series();
  return Outcome::yes;
}

// Repairs of the block with which the track behind `track` should begin, or of the one before it.
Outcome ZoneGrowth::repair_next(std::size_t zone, std::uint64_t track) {
  const Zone& here = map.zones[zone];
  const std::uint64_t end = map.end_of(zone);
  std::uint64_t next = std::min(here.first_block(track + 1), end - 1);
  while (map.remaps.contains(next) && next + 1 < end) ++next;
  if (const Outcome noted = repairs_.note_remap(zone, next); noted != Outcome::no) return noted;
  if (numbers.numbering().from_index && next > here.first_lbn) {
    const Outcome noted = repairs_.note_remap(zone, next - 1);
    if (noted != Outcome::no) return noted;
  }
  return repairs_.reinterpret(zone, next);
}

// ---- tracks of another length

// No: the track is as long as the zone has it, or ends early for a reason of its own.
Outcome ZoneGrowth::fit_length(std::size_t zone, std::uint64_t track, const TrackMeasure& found) {
  const Zone& here = map.zones[zone];
  const std::uint32_t sectors = here.sectors_of(track);
  auto length = numbers.length_of(here.order.at(track), sectors);
  const std::uint64_t next = found.last + 1;
  if (length && *length != sectors && next < survey.blocks() &&
      numbers.lacks_few(here.order.at(track), reader.place_of(next), !here.head_sectors.empty(),
                        *length, sectors))
    length = sectors;
  if (length && *length != sectors) return fit_asked_length(zone, track, found, *length);
  if (!length && found.span != sectors) {
    const Outcome differ = starts_.heads_seem_to_differ(zone);
    if (differ != Outcome::no) return differ;
  }
  if (found.span > sectors) {
    if (head_grows(zone, track, found)) return Outcome::yes;
    return lengthen(zone, track, found);
  }
  const bool wraps_early = found.numbers > 0 && found.numbers < sectors;
  if (!length && wraps_early && !here.head_sectors.empty())
    return starts_.begin(zone + (track > 0 ? 1 : 0), found.first);
  if (!length && tracks_grow_short(survey, reader, here, track, found))
    return starts_.begin(zone + 1, found.first);
  return Outcome::no;
}

// The drive says that the track has another length than those of the zone.
Outcome ZoneGrowth::fit_asked_length(std::size_t zone, std::uint64_t track,
                                     const TrackMeasure& found, std::uint32_t length) {
  const Zone& here = map.zones[zone];
  if (!numbers.numbering().renumbered && numbers.lacks_listed(here, track, length)) {
    numbers.leave_slips_unnumbered(true);
    return Outcome::other_numbers;
  }
  const Outcome differ = starts_.heads_differ(zone, here.order.at(track), length);
  if (differ != Outcome::no) return differ;
  return starts_.begin(zone + (track > 0 ? 1 : 0), found.first);
}

// A track is longer than was known: so are all those of the zone, or another one begins.
Outcome ZoneGrowth::lengthen(std::size_t zone, std::uint64_t track, const TrackMeasure& found) {
  Zone& here = map.zones[zone];
  const std::uint64_t blocks = found.last - found.first + 1;
  const bool as_spares = blocks <= here.sectors_of(track);
  constexpr std::uint64_t kYoung = 3;
  if (!here.head_sectors.empty() || (!as_spares && track >= kYoung))
    return starts_.begin(zone + (track > 0 ? 1 : 0), found.first);
  map.unsettled = true;
  here.slots.widen(TrackLengths(found.span), as_spares, track);
  numbers.load_slips(here);
  return Outcome::yes;
}

// A track is longer than the others of its head were seen to be, and those behind it are not: slips
// have used spares at its end, which all of its head's tracks have.
bool ZoneGrowth::head_grows(std::size_t zone, std::uint64_t track, const TrackMeasure& found) {
  Zone& here = map.zones[zone];
  if (here.head_sectors.empty() || here.irregular || survey.answers_back()) return false;
  std::uint64_t next = found.last + 1;
  if (next < survey.blocks()) {
    next = reader.regular_from(next, survey.blocks());
    const TrackPlace place = reader.place_of(next);
    const std::uint64_t sectors = here.sectors_on(place.head);
    if (place != here.order.at(track + 1)) return false;
    const std::uint64_t last = reader.last_on_track(next, next + sectors - 1);
    if (reader.span_of(next, last) > sectors) return false;
  }
  const auto head = static_cast<std::size_t>(here.order.at(track).head);
  if (head >= here.head_sectors.size()) return false;
  here.head_sectors[head] = found.span;
  here.slots.widen(lengths_of(here, here.order), true, 0);
  numbers.load_slips(here);
  map.unsettled = true;
  return true;
}

// ---- the next track is elsewhere

// Block `lbn` follows the last one of `track`, and is not where the next track should begin.
Outcome ZoneGrowth::land(std::size_t zone, std::uint64_t track, std::uint64_t lbn) {
  const Outcome repaired = repairs_.repair(zone, lbn);
  if (repaired == Outcome::yes) map.unsettled |= map.zones[zone].slots.learn_series();
  if (repaired != Outcome::no) return repaired;
  const std::uint32_t front = reader.front_offset(lbn);
  const bool order_is_known = map.zones[zone].order.repeated(track + 1);
  const TrackPlace place = reader.place_of(lbn);
  const std::uint32_t sectors = map.zones[zone].sectors_on(place.head);
  const auto length = numbers.length_of(place, sectors);
  if (length && *length != sectors) {
    const Outcome differ = starts_.heads_differ(zone, place, *length);
    if (differ != Outcome::no) return differ;
    const bool lacks_listed = *length + numbers.listed().count_on(place) == sectors;
    const Zone& here = map.zones[zone];
    if (!lacks_listed && !numbers.lacks_few(place, here.order.at(track + 2),
                                            !here.head_sectors.empty(), *length, sectors))
      return begin_next(zone, lbn);
  }
  if (order_is_known) {
    const Outcome skipped = skipped_ahead(zone, track, lbn, front);
    if (skipped != Outcome::no) return skipped;
    const Outcome turned = order_turns(zone, track, lbn, front);
    if (turned != Outcome::no) return turned;
  } else if (order_goes_on(zone, track, lbn, front)) {
    return Outcome::yes;
  }
  const Outcome differ = starts_.heads_seem_to_differ(zone);
  if (differ != Outcome::no) return differ;
  return begin_next(zone, lbn);
}

// The next zone has what this one learned, its last track included.
Outcome ZoneGrowth::begin_next(std::size_t zone, std::uint64_t lbn) {
  map.zones[zone].slots.learn_series();
  return starts_.begin(zone + 1, lbn);
}

// Spares, reserved or left out tracks and cylinders: the order goes on as it was, further on.
Outcome ZoneGrowth::skipped_ahead(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                                  std::uint32_t front) {
  constexpr std::uint64_t kFarthestCycles = 64;
  const Zone& here = map.zones[zone];
  const auto to = here.order.find(reader.place_of(lbn), track + 1);
  if (!to || *to - track > kFarthestCycles * (here.order.cycle() + 1)) return Outcome::no;
  // Tracks of another length are none of this zone that hold no block.
  for (const std::uint64_t skipped : {track + 1, *to - 1}) {
    if (skipped <= track || skipped >= *to) continue;
    const auto length = numbers.length_of(here.order.at(skipped), here.sectors_of(skipped));
    if (length && *length != here.sectors_of(skipped)) return Outcome::no;
  }
  const SlotRange gap{here.first_slot(track + 1), here.first_slot(*to) + front};
  if (front >= here.sectors_of(*to)) return Outcome::no;
  Zone trial = here;
  // Spares that the map has in front of the block may be used.
  const std::uint64_t wanted = here.slots.slot_of(lbn - here.first_lbn);
  const std::uint64_t measured =
      std::max(gap.end, std::min(wanted, here.first_slot(*to) + here.sectors_of(*to) - 1)) + 1;
  std::vector<SlotRange> free;
  if (gap.end > gap.first) free.push_back(gap);
  trial.slots.measured({gap.first, measured}, free);
  const std::uint64_t end = map.end_of(zone);
  if (const Outcome met = agreement.agrees(trial, lbn); met != Outcome::yes) return met;
  Outcome behind = agreement.boundary_agrees(trial, *to + 1, end);
  if (behind == Outcome::no) behind = goes_on_behind(trial, *to, end);
  if (behind != Outcome::yes) return behind;
  if (const Outcome met = spares_go_on(trial, {gap.first, *to}, end); met != Outcome::yes)
    return met;
  map.unsettled |= trial.slots.learn_series();
  map.zones[zone] = std::move(trial);
  return Outcome::yes;
}

// Defects have used up spares at either end of a track, which is as long as the others for all
// that.
Outcome ZoneGrowth::goes_on_behind(Zone& zone, std::uint64_t track, std::uint64_t end) {
  const Result<TrackMeasure> measured = meter.measure(zone, track, end);
  if (measured.outcome != Outcome::yes) return measured.outcome;
  if (measured.value.span != zone.sectors_of(track)) return Outcome::no;
  put_measured(zone, track, measured.value, false);
  return agreement.boundary_agrees(zone, track + 1, end);
}

// Cylinders are left out, and the order goes on otherwise than its cycle has it.
Outcome ZoneGrowth::order_turns(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                                std::uint32_t front) {
  if (zone + 1 != map.zones.size()) return Outcome::no;
  constexpr std::size_t kMostTried = 6;  // Chosen: each costs some questions
  constexpr std::uint64_t kTracksBehind = 32;
  const Zone& here = map.zones[zone];
  const TrackPlace last = here.order.at(track), place = reader.place_of(lbn);
  const bool cylinders_left_out = here.order.at(track + 1).cylinder != last.cylinder &&
                                  place.cylinder > last.cylinder + 1;
  if (!cylinders_left_out) return Outcome::no;
  for (const TrackOrder& order : here.order.continued_at(track + 1, place, kMostTried)) {
    Zone trial = here;
    trial.order = order;
    trial.slots.set_lengths(lengths_of(trial, trial.order));
    numbers.load_slips(trial);
    if (!numbers.numbering().from_index) trial.leave_front_free(track + 1, front);
    const std::uint64_t behind = std::min<std::uint64_t>(trial.order.cycle(), kTracksBehind);
    Outcome met = agreement.agrees(trial, lbn);
    for (const std::uint64_t further : {std::uint64_t{1}, std::uint64_t{2}, behind})
      if (met == Outcome::yes)
        met = agreement.boundary_agrees(trial, track + 1 + further, map.end_of(zone));
    if (met.stops()) return met;
    if (met == Outcome::no) continue;
    map.unsettled |= trial.slots.learn_series();
    map.zones[zone] = std::move(trial);
    return Outcome::yes;
  }
  return Outcome::no;
}

// Spares that come at a stride may be counted without the tracks that were left out: then the next
// ones are elsewhere, and so are the blocks around them. Or the defects of those tracks have used
// them up. `from`: the slot where tracks were left out, and the track where the order goes on.
Outcome ZoneGrowth::spares_go_on(Zone& zone, SlotRange from, std::uint64_t end) {
  const std::uint64_t skipped = from.end - zone.slots.lengths().track_of(from.first);
  for (const SpareSeries& series : std::vector(zone.slots.series())) {
    const bool open = series.count == SpareSeries::kOpen;
    if (!open || skipped % series.stride == 0) continue;
    const auto next = zone.slots.occurrence_from(series, zone.first_slot(from.end));
    if (!next) continue;
    const Outcome there = spares_agree(zone, zone.slots.range(series, *next), from.end, end);
    if (there.stops()) return there;
    if (there == Outcome::yes) continue;
    if (zone.slots.absorb() != Absorb::next) return Outcome::no;
    const Outcome used = spares_are_used(zone, series, *next, end);
    if (used != Outcome::yes) return used;
  }
  return Outcome::yes;
}

// An occurrence of spares was used up whole or, where units of several kinds end, in part, as its
// track shows; the next one comes where it should.
Outcome ZoneGrowth::spares_are_used(Zone& zone, const SpareSeries& series, std::uint64_t occurrence,
                                    std::uint64_t end) {
  const TrackLengths& lengths = zone.slots.lengths();
  const SlotRange spares = zone.slots.range(series, occurrence);
  const std::uint64_t track = lengths.track_of(spares.first);
  const std::uint64_t next = lengths.track_of(zone.slots.range(series, occurrence + 1).first);
  const auto goes_on = [&](const Zone& trial) {
    const Outcome behind = agreement.boundary_agrees(trial, track + 1, end);
    return behind == Outcome::yes ? agreement.boundary_agrees(trial, next + 1, end) : behind;
  };
  Zone whole = zone;
  whole.slots.measured(spares, {});
  Outcome met = goes_on(whole);
  if (met == Outcome::yes) zone = std::move(whole);
  if (met != Outcome::no) return met;
  met = agreement.boundary_agrees(zone, track, end);
  if (met != Outcome::yes) return met;
  if (lengths.track_of(spares.end - 1) != track || zone.first_block(track) >= end)
    return Outcome::no;
  const Result<TrackMeasure> measured = meter.measure(zone, track, end);
  if (measured.outcome != Outcome::yes) return measured.outcome;
  put_measured(zone, track, measured.value, false);
  return goes_on(zone);
}

// The tracks around spares, as far as they lie behind `track`.
Outcome ZoneGrowth::spares_agree(const Zone& zone, SlotRange spares, std::uint64_t track,
                                 std::uint64_t end) {
  const std::uint64_t first = zone.slots.lengths().track_of(spares.first);
  for (const std::uint64_t near : {first + 1, first, first + 2}) {
    if (near <= track) continue;
    const Outcome met = agreement.boundary_agrees(zone, near, end);
    if (met != Outcome::yes) return met;
  }
  return Outcome::yes;
}

// The order of the tracks is not fully known yet: the landing place is the next of them.
bool ZoneGrowth::order_goes_on(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                               std::uint32_t front) {
  if (zone + 1 != map.zones.size()) return false;
  Zone& here = map.zones[zone];
  // Where the drive says how long tracks are it was asked.
  if (!survey.answers_back() && !tracks_are_as_long(here, lbn, front)) return false;
  const TrackPlace place = reader.place_of(lbn);
  if (here.order.find(place) && *here.order.find(place) <= track) return false;
  // Tracks before stay where they are. What was seen there may disagree now where they were taken
  // in leaps, and where a series fits no longer.
  const bool in_leaps = here.order.is_inherited();
  const std::size_t series = here.slots.series().size();
  if (in_leaps) here.good = 0;
  here.order.continue_with(track + 1, place);
  here.slots.set_lengths(lengths_of(here, here.order));
  map.unsettled |= in_leaps || here.slots.series().size() != series;
  numbers.load_slips(here);
  if (!numbers.numbering().from_index) here.leave_front_free(track + 1, front);
  map.unsettled |= here.slots.learn_series();
  return true;
}

// From block `lbn` on, where `front` slots of its track lie in front: some tracks may be short by
// spares or defects, none may be longer.
bool ZoneGrowth::tracks_are_as_long(const Zone& zone, std::uint64_t lbn, std::uint32_t front) {
  constexpr int kLookedAt = 4;
  for (int i = 0; i < kLookedAt && lbn < survey.blocks(); ++i) {
    const std::uint64_t sectors = zone.sectors_on(reader.place_of(lbn).head);
    const std::uint64_t in_front = std::min<std::uint64_t>(sectors, i == 0 ? front : 0);
    const std::uint64_t last = reader.last_on_track(lbn, lbn + sectors - in_front - 1);
    const std::uint64_t span = reader.span_of(lbn, last);
    if (span >= sectors) return span == sectors;
    lbn = last + 1;
  }
  return lbn >= survey.blocks();
}

}  // namespace platter::layout
