#include "layout/irregular_tracks.h"

#include <fmt/core.h>

#include <algorithm>

namespace platter::layout {

namespace {

constexpr std::uint64_t kFewestTracks = 64;

}  // namespace

Outcome IrregularTracks::enter(std::uint64_t lbn) {
  const std::size_t index = map.zone_of(lbn);
  const Zone& zone = map.zones[index];
  attempts_.forget();
  if (zone.irregular) return give_up_zone(index, lbn);
  const std::uint64_t tracks = kFewestTracks
                               << std::min<std::size_t>(starts_.irregular_ranges(), 16);
  const std::uint64_t far = std::min(survey.blocks(), lbn + tracks * zone.slots.sectors());
  std::uint64_t wrong = lbn;
  for (auto known = survey.known().lower_bound(zone.first_lbn);
       known != survey.known().end() && known->first < wrong; ++known)
    if (!agreement.matches(zone, known->first, known->second)) wrong = known->first;
  constexpr std::uint64_t kTracksBefore = 2;
  std::uint64_t track = expected(zone, wrong).track;
  track -= std::min(track, kTracksBefore);
  while (track > 0) {
    const Outcome met = agreement.boundary_agrees(zone, track, map.end_of(index));
    if (met.stops()) return met;
    if (met == Outcome::yes) break;
    --track;
  }
  const std::uint64_t from = zone.first_block(track);
  starts_.add_irregular(from, far);
  return starts_.begin(track > 0 ? index + 1 : index, from);
}

// Looking at each track did not help: the rules are tried again further on.
Outcome IrregularTracks::give_up_zone(std::size_t index, std::uint64_t lbn) {
  Zone& zone = map.zones[index];
  zone.not_understood = fmt::format("around block {} blocks lie by no rule that is known here",
                                    lbn);
  const std::uint64_t sectors = zone.slots.sectors();
  std::uint64_t next = lbn + kFewestTracks * sectors;
  if (next < survey.blocks()) next = reader.last_on_track(next, next + sectors / 2) + 1;
  map.zones.resize(index + 1);
  if (next >= survey.blocks()) return Outcome::yes;
  return starts_.begin(index + 1, next);
}

Outcome IrregularTracks::walk() {
  constexpr std::uint64_t kMostTracks = 256;
  const std::size_t zones = map.zones.size();
  const auto begin_another = [&](std::uint64_t lbn) {
    const Outcome begun = starts_.begin(zones, lbn);
    return begun.stops() ? begun : Outcome::no;
  };
  while (true) {
    Zone& zone = map.zones.back();
    if (!zone.not_understood.empty()) return Outcome::yes;
    const std::uint64_t track = zone.good;
    const Result<TrackMeasure> measured = meter.measure(zone, track, survey.blocks());
    if (measured.outcome != Outcome::yes) return measured.outcome;
    const TrackMeasure& found = measured.value;
    const std::uint32_t sectors = zone.slots.sectors();
    const auto length = numbers.length_of(zone.order.at(track), sectors);
    if (track > 0 && (found.span > sectors || (length && *length != sectors)))
      return begin_another(found.first);
    if (found.span > sectors) zone.slots.widen(TrackLengths(found.span), false, 0);
    const std::uint64_t first = found.last + 1;
    numbers.note_holes(!found.holes.empty());
    put_measured(zone, track, found, first >= survey.blocks());
    if (first >= survey.blocks()) return Outcome::yes;
    if (!starts_.follows_no_rule(first) || track + 1 >= kMostTracks) return begin_another(first);
    const std::uint64_t landing = reader.regular_from(first, survey.blocks());
    const TrackPlace place = reader.place_of(landing);
    const auto met = zone.order.find(place);
    if (met && *met <= track) return begin_another(first);
    zone.order.append(place);
    zone.good = track + 1;
    const std::uint64_t slot = reader.front_offset(landing);
    const std::uint64_t front = slot - std::min(slot, landing - first);
    if (front > 0 && front < zone.slots.sectors()) zone.leave_front_free(track + 1, front);
  }
}

}  // namespace platter::layout
