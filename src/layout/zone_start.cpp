#include "layout/zone_start.h"

#include <algorithm>

#include "layout/head_lengths.h"

namespace platter::layout {

namespace {

// The order of the tracks goes on as in another zone: `tracks` are the first of the new one.
bool continue_as(const Zone& other, const std::vector<TrackPlace>& tracks, Zone& zone) {
  std::vector<TrackOrder> orders = other.order.restarts(tracks, 1);
  if (orders.empty()) return false;
  zone.order = std::move(orders[0]);
  return true;
}

// Tracks behind `track` on its cylinder.
std::uint64_t tracks_left(const TrackOrder& order, std::uint64_t track) {
  std::uint64_t left = 0;
  while (left < order.cycle() && order.at(track + left + 1).cylinder == order.at(track).cylinder)
    ++left;
  return left;
}

// Spares that the zone before had: the same number, at the same end of a track; those of each
// cylinder at the same track of it, others as far from the zone's start.
void inherit_series(const Zone& from, Zone& to) {
  const std::uint32_t shortest = std::min(from.slots.sectors(), to.slots.sectors());
  for (SpareSeries series : from.slots.series()) {
    const SlotRange spares = from.slots.range(series, 0);
    if (series.count != SpareSeries::kOpen || spares.end - spares.first > shortest) continue;
    constexpr std::uint64_t kFewestUnits = 3;  // else defects may have looked like spares
    const std::uint64_t track = from.slots.lengths().track_of(spares.first);
    if (from.good < track + kFewestUnits * series.stride) continue;
    const bool each_cylinder = from.order.at(track + series.stride).cylinder !=
                                   from.order.at(track).cylinder &&
                               series.stride <= from.order.cycle();
    std::uint64_t first = track;
    if (each_cylinder) {
      const std::uint64_t left = tracks_left(from.order, track);
      for (first = 0; first < series.stride && tracks_left(to.order, first) != left;) ++first;
    } else {
      // Units are counted from the beginning of the zone's first cylinder.
      const std::uint64_t missing = to.order.missing_before() % series.stride;
      first = (track + from.order.missing_before() + series.stride - missing) % series.stride;
    }
    series.first.track = series.first.track - track + first;
    series.end.track = series.end.track - track + first;
    to.slots.add_series(series);
  }
}

}  // namespace

bool ZoneStart::follows_no_rule(std::uint64_t lbn) const {
  return std::ranges::any_of(
      irregular_, [lbn](const BlockRange& range) { return lbn >= range.first && lbn < range.end; });
}

Outcome ZoneStart::first_zone() {
  heads_looked_at_ = 0;
  return begin(0, 0);
}

Outcome ZoneStart::heads_differ(std::size_t zone, TrackPlace place, std::uint32_t length) {
  const Zone& here = map_.zones[zone];
  if (zone + 1 != map_.zones.size() || here.irregular || !here.head_sectors.empty())
    return Outcome::no;
  const TrackPlace first = here.order.at(0);
  if (first.head == place.head ||
      numbers_.length_of({first.cylinder, place.head}, length) != length)
    return Outcome::no;
  if (const Outcome begun = begin(zone, here.first_lbn, true); begun.stops()) return begun;
  return map_.zones.back().head_sectors.empty() ? Outcome::no : Outcome::yes;
}

Outcome ZoneStart::heads_seem_to_differ(std::size_t zone) {
  const std::vector<Zone>& zones = map_.zones;
  const Zone& here = zones[zone];
  if (zone + 1 != zones.size() || here.irregular || !here.head_sectors.empty()) return Outcome::no;
  if (survey_.answers_back() || zones.size() < heads_looked_at_) return Outcome::no;
  heads_looked_at_ = 2 * zones.size();
  const Zone* before = zone > 0 ? &zones[zone - 1] : nullptr;
  if (seen_sectors_of_heads(survey_, numbers_, reader_, here.first_lbn, before).empty())
    return Outcome::no;
  return begin(zone, here.first_lbn, true);
}

// Slots on a track of a zone that is not known yet, by its first block and its last one.
Result<std::uint64_t> ZoneStart::span_of_new(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t final = reader_.regular_before(last, first);
  const std::uint32_t start = survey_.at(first).place.sector, end = survey_.at(final).place.sector;
  const bool from_index = numbers_.numbering().from_index;
  if (end < start && !from_index) {
    numbers_.count_from_index();
    return Outcome::other_numbers;
  }
  const std::uint64_t length = last - first + 1;
  if (!from_index) return std::max<std::uint64_t>(length, numbers_.from_base(end) + 1);
  const auto wrapped = reader_.first_after_wrap(first, final, 0);
  if (!wrapped) return length;
  if (numbers_.tells_base(survey_.at(*wrapped).place.sector)) return Outcome::other_numbers;
  return std::max<std::uint64_t>(length,
                                 numbers_.from_base(survey_.at(*wrapped - 1).place.sector) + 1);
}

// Tracks from block `lbn` on.
Result<ZoneStart::FirstTracks> ZoneStart::look_at_first_tracks(std::uint64_t lbn, int looked_at,
                                                               const Zone* before) {
  FirstTracks tracks;
  std::uint64_t first = lbn, hint = before ? before->slots.sectors() : 0;
  for (int i = 0; i < looked_at && first < survey_.blocks(); ++i) {
    first = reader_.regular_from(first, survey_.blocks());
    const scsi::PhysicalAddress start = survey_.at(first).place;
    const TrackPlace place = track_of(start);
    if (numbers_.tells_base(start.sector) && before) return Outcome::other_numbers;
    const std::uint64_t last = reader_.last_on_track(first, first + hint - (hint > 0 ? 1 : 0));
    const Result<std::uint64_t> span = span_of_new(first, last);
    if (span.outcome != Outcome::yes) return span.outcome;
    if (i == 0)
      tracks.length = numbers_.length_of(place,
                                         static_cast<std::uint32_t>(std::max(span.value, hint)));
    if (i > 0 && tracks.length) {
      const auto second = numbers_.length_of(place, *tracks.length);
      const bool heads_differ = before && !before->head_sectors.empty();
      if (second &&
          numbers_.lacks_few(tracks.places[0], place, heads_differ, *tracks.length, *second)) {
        tracks.length = second;
      } else if (second != tracks.length) {
        break;
      }
    }
    tracks.sectors = std::max(tracks.sectors, span.value);
    hint = span.value;
    tracks.places.push_back(place);
    first = last + 1;
  }
  return tracks;
}

// As in the zone before, or, where that was a short one of another kind, in one before it. Returns
// the zone that this one is like.
const Zone* ZoneStart::set_order(Zone& zone, const std::vector<TrackPlace>& tracks) const {
  zone.order = TrackOrder(tracks);
  if (map_.zones.empty() || map_.zones.back().irregular) return nullptr;
  for (auto earlier = map_.zones.rbegin(); earlier != map_.zones.rend(); ++earlier)
    if (!earlier->irregular && continue_as(*earlier, tracks, zone)) return &*earlier;
  return &map_.zones.back();
}

// What lies in front of the zone's first block on its track.
void ZoneStart::leave_front_free(Zone& zone) {
  const std::uint64_t regular = reader_.regular_from(zone.first_lbn, survey_.blocks());
  const std::uint64_t slot = reader_.front_offset(regular), ahead = regular - zone.first_lbn;
  if (!numbers_.numbering().from_index && slot >= ahead) zone.leave_front_free(0, slot - ahead);
}

Outcome ZoneStart::begin(std::size_t kept, std::uint64_t lbn, bool heads_differ) {
  map_.zones.resize(kept);
  const Zone* before = map_.zones.empty() ? nullptr : &map_.zones.back();
  Zone zone;
  zone.first_lbn = lbn;
  zone.irregular = follows_no_rule(lbn);
  // Tracks: one may be short, by a defect or a reserved area.
  const int looked_at = zone.irregular ? 1 : 2;
  const Result<FirstTracks> seen = look_at_first_tracks(lbn, looked_at, before);
  if (seen.outcome != Outcome::yes) return seen.outcome;
  const FirstTracks& tracks = seen.value;
  const auto length = tracks.length;
  if (!zone.irregular && (heads_differ || (before && !before->head_sectors.empty())))
    zone.head_sectors = length ? asked_sectors_of_heads(survey_, numbers_, tracks.places[0],
                                                        *length, before)
                               : seen_sectors_of_heads(survey_, numbers_, reader_, lbn, before);
  zone.slots = SlotMap(TrackLengths(length.value_or(static_cast<std::uint32_t>(tracks.sectors))));
  const Zone* like = nullptr;
  if (zone.irregular) {
    zone.order.append(tracks.places[0]);
  } else {
    like = set_order(zone, tracks.places);
  }
  zone.slots.set_lengths(lengths_of(zone, zone.order));
  if (like) {
    zone.slots.set_absorb(like->slots.absorb());
    inherit_series(*like, zone);
  }
  if (!zone.irregular) numbers_.load_slips(zone);
  leave_front_free(zone);
  map_.zones.push_back(std::move(zone));
  return Outcome::yes;
}

}  // namespace platter::layout
