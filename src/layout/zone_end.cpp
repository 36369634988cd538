#include "layout/zone_end.h"

#include <algorithm>

namespace platter::layout {

namespace {

// Where each head has its own length: more of the tracks behind are shorter than are not.
bool heads_grow_short(Survey& survey, TrackReader& reader, const Zone& zone, std::uint64_t track,
                      const TrackMeasure& found) {
  if (track == 0 || found.span >= zone.sectors_of(track)) return false;
  const TrackPlace before = zone.order.at(track - 1), here = zone.order.at(track);
  constexpr int kLookedAt = 5;  // tracks behind
  int shorter = 0, as_long = 0;
  std::uint64_t next = found.last + 1;
  for (int i = 0; i < kLookedAt && next < survey.blocks(); ++i) {
    next = reader.regular_from(next, survey.blocks());
    const TrackPlace place = reader.place_of(next);
    if (i == 0 && before.cylinder == here.cylinder && place.cylinder != here.cylinder) return false;
    const std::uint64_t sectors = zone.sectors_on(place.head);
    const std::uint64_t last = reader.last_on_track(next, next + sectors - 1);
    const std::uint64_t span = reader.span_of(next, last);
    if (span > sectors) return true;
    ++(span < sectors ? shorter : as_long);
    next = last + 1;
  }
  return shorter > as_long;
}

// Tracks side by side on one surface, band by band, have no cylinders at whose end spares could
// lie.
bool fills_cylinders(const TrackOrder& order, std::uint64_t track) {
  std::uint64_t stays = 0;
  for (std::uint64_t back = 0; back < order.cycle(); ++back)
    if (order.at(track - back).cylinder == order.at(track - back - 1).cylinder) ++stays;
  return 2 * stays >= order.cycle();
}

}  // namespace

bool tracks_grow_short(Survey& survey, TrackReader& reader, const Zone& zone, std::uint64_t track,
                       const TrackMeasure& found) {
  if (!zone.head_sectors.empty()) return heads_grow_short(survey, reader, zone, track, found);
  if (track == 0 || found.span >= zone.slots.sectors()) return false;
  const TrackPlace before = zone.order.at(track - 1), here = zone.order.at(track);
  constexpr int kLookedAt = 3;  // tracks behind: one of four may be shorter still, by a defect
  std::uint64_t next = found.last + 1, longest = found.span;
  int as_long = 1;
  bool begins_cylinder = before.cylinder != here.cylinder;
  for (int i = 0; i < kLookedAt && next < survey.blocks() && as_long < 2; ++i) {
    const TrackPlace place = reader.place_of(next);
    if (i == 0 && before.cylinder == here.cylinder && place.cylinder != here.cylinder) return false;
    if (i == 0 && place.cylinder != here.cylinder) begins_cylinder = false;
    const std::uint64_t last = reader.last_on_track(next, next + longest - 1);
    const std::uint64_t span = reader.span_of(next, last);
    if (span >= zone.slots.sectors()) return false;
    if (span == longest) ++as_long;
    if (span > longest) as_long = 1;
    longest = std::max(longest, span);
    next = last + 1;
  }
  constexpr std::uint64_t kMostSlips = 4;
  return as_long > 1 && (longest - found.span <= kMostSlips || begins_cylinder);
}

bool first_spares_end_zone(Survey& survey, TrackReader& reader, const Zone& zone,
                           std::uint64_t track, const TrackMeasure& found) {
  constexpr std::uint64_t kManyCycles = 64;
  constexpr std::uint64_t kFewestSpares = 2;
  const std::uint64_t landing = found.last + 1;
  if (track < kManyCycles * zone.order.cycle() || landing >= survey.blocks()) return false;
  const TrackPlace last = zone.order.at(track), next = reader.place_of(landing);
  const std::uint64_t spares = zone.sectors_of(track) - found.span;
  return last.cylinder != next.cylinder && zone.order.cycle() > 1 && zone.slots.series().empty() &&
         fills_cylinders(zone.order, track) &&
         (spares >= kFewestSpares || next != zone.order.at(track + 1));
}

}  // namespace platter::layout
