// How a zone begins: how long its tracks are, in which order, and what it has from zones before.
#include <algorithm>

#include "layout/mapper.h"

namespace platter::layout {

namespace {

// The order of the tracks goes on as in another zone: `tracks` are the first of the new one.
bool continue_as(const Zone& other, const std::vector<TrackPlace>& tracks, Zone& zone) {
  for (TrackOrder& order : other.order.restarts(tracks[0])) {
    if (tracks.size() > 1 && order.at(1) != tracks[1]) continue;
    zone.order = std::move(order);
    return true;
  }
  return false;
}

}  // namespace

// The lowest sector number of the track, where the drive says which there are.
std::uint32_t Mapper::lowest_number(scsi::PhysicalAddress place) {
  if (!survey_.answers_back()) return place.sector;
  constexpr std::uint32_t kFewest = 2;  // numbers start at 0 or 1
  for (std::uint32_t sector = 0; sector < std::min(kFewest, place.sector); ++sector)
    if (survey_.back({place.cylinder, place.head, sector})) return sector;
  return place.sector;
}

// How many sectors a track has, by asking which of their numbers exist; nullopt where the drive
// does not say. Slipped sectors without a number are those that the drive lists.
std::optional<std::uint32_t> Mapper::length_of(TrackPlace place, std::uint32_t hint) {
  if (place.cylinder < 0 || place.head < 0 || !survey_.answers_back()) return std::nullopt;
  const auto exists = [&](std::uint32_t sector) {
    return survey_
        .back({static_cast<std::uint32_t>(place.cylinder), static_cast<std::uint32_t>(place.head),
               numbering_.base + sector})
        .has_value();
  };
  const std::uint32_t unnumbered = numbering_.renumbered ? listed_on(place) : 0;
  std::uint32_t there = 0, beyond = 0;  // 0: not known; sectors below `there` exist
  hint = std::max(hint, unnumbered + 1) - unnumbered;
  if (!exists(hint - 1)) {
    beyond = hint - 1;
    for (std::uint32_t step = 1; beyond > 0; step *= 2) {
      const std::uint32_t lower = beyond > step ? beyond - step : 0;
      if (lower == 0 || exists(lower - 1)) {
        there = lower;
        break;
      }
      beyond = lower - 1;
    }
  } else {
    there = hint;
    for (std::uint32_t step = 1; beyond == 0; step *= 2) {
      if (exists(there - 1 + step)) {
        there += step;
      } else {
        beyond = there - 1 + step;
      }
    }
  }
  while (there < beyond) {
    const std::uint32_t middle = there + (beyond - there) / 2;
    if (exists(middle)) {
      there = middle + 1;
    } else {
      beyond = middle;
    }
  }
  if (there == 0) return std::nullopt;
  return there + unnumbered;
}

// Tracks of one head are as long as they were at the zone's beginning, though not as those of other
// heads: the zone begins anew, with a length for each head. Only the last zone can.
bool Mapper::heads_differ(std::size_t zone, TrackPlace place, std::uint32_t length) {
  const Zone& here = zones_[zone];
  if (zone + 1 != zones_.size() || here.irregular || !here.head_sectors.empty()) return false;
  const TrackPlace first = here.order.at(0);
  if (first.head == place.head || length_of({first.cylinder, place.head}, length) != length)
    return false;
  const std::uint64_t lbn = here.first_lbn;
  zones_.resize(zone);
  start_zone(lbn, true);
  return !zones_.back().head_sectors.empty();
}

// The lengths of the tracks of all heads of a cylinder; empty if they are all alike.
std::vector<std::uint32_t> Mapper::sectors_of_heads(TrackPlace place, std::uint32_t length,
                                                    const Zone* before) {
  constexpr std::uint32_t kMostHeads = 256;
  const std::uint32_t heads = survey_.heads() > 0 ? survey_.heads() : kMostHeads;
  std::vector<std::uint32_t> sectors;
  for (std::uint32_t head = 0; head < heads; ++head) {
    std::int64_t hint = length;  // the difference between heads is much the same everywhere
    if (before) hint += std::int64_t{before->sectors_on(head)} - before->sectors_on(place.head);
    if (head == place.head) {
      sectors.push_back(length);
      continue;
    }
    const auto found = length_of({place.cylinder, head},
                                 static_cast<std::uint32_t>(std::max<std::int64_t>(hint, 1)));
    if (!found) break;
    sectors.push_back(*found);
  }
  const bool alike = std::ranges::all_of(sectors, [&](std::uint32_t s) { return s == length; });
  if (alike || static_cast<std::size_t>(place.head) >= sectors.size()) return {};
  return sectors;
}

// A track is not as long as it should be, and the drive does not say how long tracks are: the zone
// begins anew with what its first tracks show of each head, if that differs. Looked at less and
// less often where it does not.
bool Mapper::heads_seem_to_differ(std::size_t zone) {
  const Zone& here = zones_[zone];
  if (zone + 1 != zones_.size() || here.irregular || !here.head_sectors.empty()) return false;
  if (survey_.answers_back() || zones_.size() < heads_looked_at_) return false;
  heads_looked_at_ = 2 * zones_.size();
  const std::uint64_t lbn = here.first_lbn;
  if (seen_sectors_of_heads(lbn, zone > 0 ? &zones_[zone - 1] : nullptr).empty()) return false;
  zones_.resize(zone);
  start_zone(lbn, true);
  return true;
}

// The first block behind `lbn` that lies on another head.
std::uint64_t Mapper::end_of_head(std::uint64_t lbn) {
  const std::uint32_t head = survey_.at(lbn).place.head;
  const auto on_head = [&](std::uint64_t other) {
    while (other > lbn && is_remapped(other)) --other;
    return survey_.at(other).place.head == head;
  };
  return last_on_track(lbn, lbn, on_head, survey_.blocks()) + 1;
}

// The block at which the tracks of a band, which begins with block `lbn`, come to those three
// cylinders that begin at `cylinder` and go on by `step`; `lbn` if they do not.
std::uint64_t Mapper::on_same_cylinders(std::uint64_t lbn, std::int64_t cylinder,
                                        std::int64_t step) {
  const std::uint64_t end = end_of_head(lbn);
  const auto cylinder_at = [this, lbn](std::uint64_t other) {
    while (other > lbn && is_remapped(other)) --other;
    return std::int64_t{survey_.at(other).place.cylinder};
  };
  const std::int64_t first = cylinder_at(lbn), last = cylinder_at(end - 1);
  const std::int64_t onward = last < first ? -1 : 1;
  const std::int64_t wanted = onward == step ? cylinder : cylinder + 2 * step;
  if ((wanted - first) * onward <= 0 || (last - wanted) * onward < 0) return lbn;
  std::uint64_t low = lbn, high = end - 1;  // low lies before it, high does not
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    ((wanted - cylinder_at(middle)) * onward > 0 ? low : high) = middle;
  }
  return high;
}

// How many sectors the numbers show on the tracks of each head: the most on three tracks of each,
// of the cylinders behind block `lbn`. Empty if all are alike, or only those are shorter that end
// their cylinder: it has spares there.
std::vector<std::uint32_t> Mapper::seen_sectors_of_heads(std::uint64_t lbn, const Zone* before) {
  constexpr int kTracks = 3;
  struct Head {
    std::uint64_t longest = 0;
    int tracks = 0, ended = 0;  // of its tracks, so many end their cylinder
  };
  std::map<std::int64_t, Head> heads;
  std::optional<TrackPlace> previous;
  std::int64_t first_cylinder = 0, step = 0;
  bool in_bands = false;
  while (lbn < survey_.blocks()) {
    std::uint64_t regular = lbn;
    while (is_remapped(regular) && regular + 1 < survey_.blocks()) ++regular;
    const TrackPlace place = track_of(survey_.at(regular).place);
    if (!previous) first_cylinder = place.cylinder;
    if (previous && step == 0) {
      in_bands = previous->head == place.head;
      step = place.cylinder < first_cylinder ? -1 : 1;
    }
    Head& head = heads[place.head];
    if (previous && previous->cylinder != place.cylinder) ++heads[previous->head].ended;
    if (head.tracks == kTracks) {
      if (previous->head != place.head) break;
      lbn = end_of_head(regular);
      continue;
    }
    if (in_bands && head.tracks == 0) {
      const std::uint64_t there = on_same_cylinders(regular, first_cylinder, step);
      if (there != regular) {
        previous = place;
        lbn = there;
        continue;
      }
    }
    std::uint64_t hint = head.longest;
    if (hint == 0 && before) hint = before->sectors_on(place.head);
    const std::uint64_t last = last_on_track(regular,
                                             regular + hint - std::min<std::uint64_t>(hint, 1));
    const std::uint64_t unnumbered = numbering_.renumbered ? listed_on(place) : 0;
    head.longest = std::max(head.longest, span_of(regular, last) + unnumbered);
    ++head.tracks;
    previous = place;
    lbn = last + 1;
  }
  std::uint64_t longest = 0;
  for (const auto& [number, head] : heads) longest = std::max(longest, head.longest);
  bool differ = false;
  std::vector<std::uint32_t> sectors;
  for (const auto& [number, head] : heads) {
    sectors.resize(static_cast<std::size_t>(number) + 1, static_cast<std::uint32_t>(longest));
    sectors.back() = static_cast<std::uint32_t>(head.longest);
    const bool has_spares = !in_bands && head.ended >= head.tracks;
    differ |= head.longest < longest && !has_spares;
  }
  if (!differ) sectors.clear();
  return sectors;
}

// The track has a few numbers less than the one beside it: slipped sectors, in no list, have none.
bool Mapper::lacks_few(TrackPlace beside, std::uint32_t length, std::uint32_t sectors) {
  constexpr std::uint32_t kMostSlips = 4;
  return !defects_.known_primary && !holes_seen_ && length < sectors &&
         sectors - length <= kMostSlips && length_of(beside, sectors) == sectors;
}

// Whether the numbers that the track of a block has say that slipped sectors have none
// (`unnumbered`), or that they do.
bool Mapper::numbers_show(const Zone& zone, std::uint64_t lbn, bool unnumbered) {
  const std::uint64_t track = expected(zone, lbn).track;
  const std::uint32_t sectors = zone.sectors_of(track), listed = listed_on(zone.order.at(track));
  const auto length = length_of(zone.order.at(track), sectors);
  if (!length || listed == 0) return false;
  const std::uint32_t numbers = *length - (numbering_.renumbered ? listed : 0);
  return unnumbered ? lacks_listed(zone, track, numbers) : numbers == sectors;
}

// The track has fewer numbers than it has sectors, by as many as it has listed defects, and the
// next one of its head that has none has all the numbers.
bool Mapper::lacks_listed(const Zone& zone, std::uint64_t track, std::uint32_t length) {
  constexpr std::int64_t kFarthest = 16;
  const TrackPlace here = zone.order.at(track);
  const std::uint32_t listed = listed_on(here), sectors = zone.sectors_of(track);
  if (listed == 0 || length + listed != sectors) return false;
  for (std::int64_t away = 1; away < kFarthest; ++away) {
    const TrackPlace beside{here.cylinder + away, here.head};
    if (listed_on(beside) > 0) continue;
    if (const auto other = length_of(beside, sectors)) return other == sectors;
  }
  return false;
}

const std::set<std::uint32_t>& Mapper::listed_sectors(TrackPlace place) const {
  static const std::set<std::uint32_t> kNone;
  const auto listed = listed_.find({place.cylinder, place.head});
  return listed == listed_.end() ? kNone : listed->second;
}

void Mapper::load_slips(Zone& zone) const {
  std::set<std::uint64_t> slips;
  const auto load = [&](const std::vector<scsi::PhysicalAddress>& defects) {
    for (const scsi::PhysicalAddress& defect : defects) {
      const auto track = zone.order.find(track_of(defect));
      if (!track || defect.sector < numbering_.base) continue;
      // Counted from the index the place is known only once the track was looked at: anywhere then.
      const std::uint32_t sectors = zone.sectors_of(*track);
      const std::uint32_t slot = numbering_.from_index ? sectors / 2
                                                       : defect.sector - numbering_.base;
      if (slot < sectors) slips.insert(zone.first_slot(*track) + slot);
    }
  };
  load(defects_.primary);
  // Without a number it is all the same where on its track a sector was slipped.
  if (numbering_.renumbered) load(defects_.primary_tracks);
  zone.slots.set_listed_slips(slips);
}

// Spares that the zone before had: the same number, at the same end of a track; those of each
// cylinder at the same track of it, others as far from the zone's start.
void Mapper::inherit_series(const Zone& from, Zone& to) const {
  const std::uint32_t shortest = std::min(from.slots.sectors(), to.slots.sectors());
  const auto tracks_left = [](const TrackOrder& order, std::uint64_t track) {
    std::uint64_t left = 0;
    while (left < order.cycle() && order.at(track + left + 1).cylinder == order.at(track).cylinder)
      ++left;
    return left;
  };
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

std::uint32_t Mapper::front_offset(std::uint64_t lbn) {
  if (numbering_.from_index) return 0;
  const scsi::PhysicalAddress& place = survey_.at(lbn).place;
  return slot_of_number(track_of(place), place.sector);
}

// Counted from the first of the track; slipped sectors may have no number.
std::uint32_t Mapper::slot_of_number(TrackPlace place, std::uint32_t sector) const {
  std::uint32_t slot = sector - numbering_.base;
  if (!numbering_.renumbered) return slot;
  for (const std::uint32_t defect : listed_sectors(place))
    if (defect - numbering_.base <= slot) ++slot;
  return slot;
}

std::uint32_t Mapper::number_of_slot(TrackPlace place, std::uint64_t slot) const {
  std::uint32_t sector = numbering_.base + static_cast<std::uint32_t>(slot);
  if (!numbering_.renumbered) return sector;
  const std::set<std::uint32_t>& listed = listed_sectors(place);
  return sector -
         static_cast<std::uint32_t>(std::distance(listed.begin(), listed.lower_bound(sector)));
}

void Mapper::start_zone(std::uint64_t lbn, bool heads_differ) {
  const Zone* before = zones_.empty() ? nullptr : &zones_.back();
  std::uint64_t first = lbn;
  const bool is_first_zone = before == nullptr;
  std::uint64_t hint = before ? before->slots.sectors() : 0;
  std::vector<TrackPlace> tracks;
  std::uint64_t sectors = 1;
  const bool irregular = follows_no_rule(lbn);
  // Tracks: one may be short, by a defect or a reserved area.
  const int looked_at = irregular ? 1 : 2;
  std::optional<std::uint32_t> length;
  for (int i = 0; i < looked_at && first < survey_.blocks(); ++i) {
    while (is_remapped(first) && first + 1 < survey_.blocks()) ++first;
    const scsi::PhysicalAddress start = survey_.at(first).place;
    if (tells_base(start.sector) && !is_first_zone) throw Restart{};
    const std::uint64_t last = last_on_track(first, first + hint - (hint > 0 ? 1 : 0));
    std::uint64_t final = last;
    while (final > first && is_remapped(final)) --final;
    const std::uint32_t end = survey_.at(final).place.sector;
    if (end < start.sector && !numbering_.from_index) {
      numbering_.from_index = true;
      throw Restart{};
    }
    std::uint64_t span = last - first + 1;
    if (!numbering_.from_index) {
      span = std::max<std::uint64_t>(span, end - numbering_.base + 1);
    } else if (const auto wrapped = first_after_wrap(first, final)) {
      const std::uint32_t lowest = survey_.at(*wrapped).place.sector;
      if (tells_base(lowest)) throw Restart{};
      span = std::max<std::uint64_t>(span,
                                     survey_.at(*wrapped - 1).place.sector - numbering_.base + 1);
    }
    if (i == 0)
      length = length_of(track_of(start), static_cast<std::uint32_t>(std::max(span, hint)));
    if (i > 0 && length) {
      const auto second = length_of(track_of(start), *length);
      if (second && lacks_few(track_of(start), *length, *second)) {
        length = second;
      } else if (second != length) {
        break;
      }
    }
    sectors = std::max(sectors, span);
    hint = span;
    tracks.push_back(track_of(start));
    first = last + 1;
  }

  Zone zone;
  zone.first_lbn = lbn;
  zone.irregular = irregular;
  if (!irregular && (heads_differ || (before && !before->head_sectors.empty())))
    zone.head_sectors = length ? sectors_of_heads(tracks[0], *length, before)
                               : seen_sectors_of_heads(lbn, before);
  zone.slots = SlotMap(TrackLengths(length.value_or(static_cast<std::uint32_t>(sectors))));
  const Zone* like = nullptr;
  if (irregular) {
    zone.order.append(tracks[0]);
  } else {
    zone.order = TrackOrder(tracks);
  }
  if (!irregular && before && !before->irregular) {
    // As in the zone before, or, where that was a short one of another kind, in one before it.
    like = before;
    for (auto earlier = zones_.rbegin(); earlier != zones_.rend(); ++earlier) {
      if (earlier->irregular || !continue_as(*earlier, tracks, zone)) continue;
      like = &*earlier;
      break;
    }
  }
  zone.slots.set_lengths(lengths_of(zone, zone.order));
  if (like) {
    zone.slots.set_absorb(like->slots.absorb());
    inherit_series(*like, zone);
  }
  if (!irregular) load_slips(zone);
  std::uint64_t regular = lbn;
  while (is_remapped(regular) && regular + 1 < survey_.blocks()) ++regular;
  const std::uint64_t slot = front_offset(regular), ahead = regular - lbn;
  if (!numbering_.from_index && slot >= ahead) zone.leave_front_free(0, slot - ahead);
  zones_.push_back(std::move(zone));
}

}  // namespace platter::layout
