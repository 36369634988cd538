// Where the drive disagrees with the map: what is different there, and the tracks that follow no
// rule.
#include <fmt/core.h>

#include <algorithm>

#include "layout/mapper.h"

namespace platter::layout {

bool Mapper::check(std::uint64_t lbn) {
  bool at_once = true;
  const auto settle_block = [&] {
    while (!agrees(zone_of(lbn), lbn)) {
      at_once = false;
      repair(zone_of(lbn), lbn);
      while (!advance()) {
      }
    }
  };
  while (true) {
    std::optional<std::uint64_t> irregular;
    try {
      settle_block();
      return at_once;
    } catch (const Irregular& place) {
      irregular = place.lbn;
    } catch (const Restart&) {
    } catch (const OutOfTranslations&) {
      leave_the_rest();
      return at_once;
    }
    at_once = false;
    try {
      if (irregular) {
        follow_no_rule(*irregular);
        while (!advance()) {
        }
      } else {
        count_restart();
        grow();
      }
    } catch (const Restart&) {
      count_restart();
      grow();
    }
  }
}

void Mapper::repair(std::size_t zone, std::uint64_t lbn) {
  count_attempt(lbn);
  if (note_remap(zone, lbn)) return;
  if (zones_[zone].irregular) throw Irregular{lbn};
  if (reinterpret(zone, lbn)) return;
  const std::uint64_t track = expected(zones_[zone], lbn).track;
  const std::uint64_t end = end_of(zone);
  std::uint64_t good = track, bad = track;
  for (std::uint64_t step = 1; !boundary_agrees(zones_[zone], good, end); step *= 2) {
    bad = good;
    if (good == 0) {
      if (zone == 0) give_up(lbn);
      zones_.resize(zone);  // the zone does not begin where it was thought to
      zones_.back().good = 0;
      return;
    }
    good -= std::min(good, step);
  }
  if (bad > good) good = last_agreeing(zone, good, bad);
  resolve(zone, good);
}

// All that was seen up to `lbn` may be explained by what slips do to spares, or to the numbers.
bool Mapper::reinterpret(std::size_t zone, std::uint64_t lbn) {
  Zone& here = zones_[zone];
  if (here.slots.slips().empty()) return false;
  const Absorb absorb = here.slots.absorb();
  const bool renumbered = numbering_.renumbered;
  const auto all_match = [&] {
    if (!matches(here, lbn, survey_.at(lbn))) return false;
    const bool everywhere = numbering_.renumbered != renumbered;
    auto known = everywhere ? survey_.known().begin() : survey_.known().lower_bound(here.first_lbn);
    for (; known != survey_.known().end() && known->first <= lbn; ++known) {
      if (!matches(zones_[zone_of(known->first)], known->first, known->second)) return false;
    }
    return true;
  };
  // Only where the block is on its track may it be the numbers that were taken wrongly.
  const bool on_its_track = expected(here, lbn).place == track_of(survey_.at(lbn).place) &&
                            !numbering_.from_index;
  for (const bool numbers : {renumbered, !renumbered}) {
    if (numbers != renumbered && !on_its_track) continue;
    if (numbers != renumbered && survey_.answers_back() && !numbers_show(here, lbn, numbers))
      continue;
    for (const Absorb kind : {Absorb::next, Absorb::none, Absorb::previous}) {
      if (numbers == renumbered && kind == absorb) continue;
      if (here.slots.series().empty() && kind != absorb) continue;
      numbering_.renumbered = numbers;
      here.slots.set_absorb(kind);
      if (!all_match()) continue;
      // Lengths that were asked for mean another thing now.
      if (numbers != renumbered && survey_.answers_back()) throw Restart{};
      return unsettled_ = true;
    }
  }
  numbering_.renumbered = renumbered;
  here.slots.set_absorb(absorb);
  return false;
}

// A block is elsewhere, and its neighbours are where they should be.
bool Mapper::note_remap(std::size_t zone, std::uint64_t lbn) {
  if (remaps_.contains(lbn)) return false;
  const Answer answer = survey_.at(lbn);
  if (!answer.remapped) {
    const Zone& here = zones_[zone];
    if (matches(here, lbn, answer)) return false;
    const Expected wanted = expected(here, lbn);
    const TrackPlace seen = track_of(answer.place);
    // One slot further on the same track, or over to the next one, is how slips look.
    if (seen == wanted.place || seen == here.order.at(wanted.track + 1)) return false;
    if (lbn == here.first_lbn || !agrees(here, lbn - 1)) return false;
    if (lbn + 1 >= end_of(zone) || !agrees(here, lbn + 1)) return false;
    if (numbering_.from_index) {  // agreement there says little: the gap between them must be right
      const scsi::PhysicalAddress before = survey_.at(lbn - 1).place,
                                  next = survey_.at(lbn + 1).place;
      const std::uint64_t sectors = here.sectors_of(wanted.track);
      const std::uint64_t gap = expected(here, lbn + 1).slot - expected(here, lbn - 1).slot;
      if (track_of(before) != track_of(next) || expected(here, lbn - 1).place != wanted.place ||
          (next.sector + sectors - before.sector) % sectors != gap)
        return false;
    }
  }
  remaps_[lbn] = answer.place;
  return true;
}

void Mapper::drop_needless_remaps() {
  std::erase_if(remaps_, [this](const auto& remap) {
    const Zone& zone = zones_[zone_of(remap.first)];
    const Expected here = expected(zone, remap.first);
    return here.place == track_of(remap.second) && !numbering_.from_index &&
           remap.second.sector == numbering_.base + number_of(zone, here);
  });
}

// Track `track` begins where it should, the next one does not.
void Mapper::resolve(std::size_t zone, std::uint64_t track) {
  const std::uint64_t end = end_of(zone);
  std::uint64_t next = std::min(zones_[zone].first_block(track + 1), end - 1);
  count_attempt(zones_[zone].first_block(track));
  if (!boundary_agrees(zones_[zone], track + 1, end)) {
    while (remaps_.contains(next) && next + 1 < end) ++next;
    if (note_remap(zone, next)) return;
    if (numbering_.from_index && next > zones_[zone].first_lbn && note_remap(zone, next - 1))
      return;
    if (reinterpret(zone, next)) return;
  }
  const TrackMeasure found = measure(zones_[zone], track, end);
  Zone& here = zones_[zone];
  const std::uint32_t sectors = here.sectors_of(track);
  const TrackPlace place = here.order.at(track);
  auto length = length_of(place, sectors);
  if (length && *length != sectors && found.last + 1 < survey_.blocks() &&
      lacks_few(track_of(survey_.at(found.last + 1).place), *length, sectors))
    length = sectors;
  if (length && *length != sectors) {
    if (!numbering_.renumbered && lacks_listed(here, track, *length)) {
      numbering_.renumbered = true;
      throw Restart{};
    }
    if (heads_differ(zone, place, *length)) return;
    zones_.resize(zone + (track > 0 ? 1 : 0));
    start_zone(found.first);
    return;
  }
  if (!length && found.span != sectors && heads_seem_to_differ(zone)) return;
  if (found.span > sectors && head_grows(zone, track, found)) return;
  if (found.span > sectors) {
    const std::uint64_t blocks = found.last - found.first + 1;
    constexpr std::uint64_t kYoung = 3;
    if (here.head_sectors.empty() && (blocks <= sectors || track < kYoung)) {
      unsettled_ = true;
      here.slots.widen(TrackLengths(found.span), blocks <= sectors, track);
      load_slips(here);
    } else {
      zones_.resize(zone + (track > 0 ? 1 : 0));
      start_zone(found.first);
    }
    return;
  }
  if (!length && tracks_grow_short(here, found, track)) {
    zones_.resize(zone + 1);
    start_zone(found.first);
    return;
  }
  note_measured(here, track, found, found.last + 1 >= survey_.blocks());
  if (zone_ends(here, found, track)) {
    zones_.resize(zone + 1);
    start_zone(found.last + 1);
    return;
  }
  unsettled_ |= here.slots.learn_series();

  const std::uint64_t landing = found.last + 1;
  if (landing >= end || agrees(zone, landing)) return;
  land(zone, track, landing);
}

void Mapper::note_measured(Zone& zone, std::uint64_t track, const TrackMeasure& found,
                           bool disk_ends) {
  const std::uint64_t first_slot = zone.first_slot(track), sectors = zone.sectors_of(track);
  holes_seen_ |= !found.holes.empty();
  std::vector<SlotRange> free;
  if (found.first_slot > 0) free.push_back({first_slot, first_slot + found.first_slot});
  for (const SlotRange& hole : found.holes)
    free.push_back({first_slot + hole.first, first_slot + hole.end});
  if (found.span < sectors && !disk_ends)
    free.push_back({first_slot + found.span, first_slot + sectors});
  zone.slots.measured({first_slot, first_slot + (disk_ends ? found.span : sectors)}, free);
}

// A track is longer than the others of its head were seen to be, and those behind it are not: slips
// have used spares at its end, which all of its head's tracks have.
bool Mapper::head_grows(std::size_t zone, std::uint64_t track, const TrackMeasure& found) {
  Zone& here = zones_[zone];
  if (here.head_sectors.empty() || here.irregular || survey_.answers_back()) return false;
  std::uint64_t next = found.last + 1;
  if (next < survey_.blocks()) {
    while (is_remapped(next) && next + 1 < survey_.blocks()) ++next;
    const TrackPlace place = track_of(survey_.at(next).place);
    const std::uint64_t sectors = here.sectors_on(place.head);
    if (place != here.order.at(track + 1)) return false;
    if (span_of(next, last_on_track(next, next + sectors - 1)) > sectors) return false;
  }
  const auto head = static_cast<std::size_t>(here.order.at(track).head);
  if (head >= here.head_sectors.size()) return false;
  here.head_sectors[head] = found.span;
  here.slots.widen(lengths_of(here, here.order), true, 0);
  load_slips(here);
  unsettled_ = true;
  return true;
}

// The track ends early, and so do those behind it: a zone of shorter tracks begins. Where it ends
// its cylinder the spares of that are likelier, and the zone begins behind it.
bool Mapper::tracks_grow_short(const Zone& zone, const TrackMeasure& found, std::uint64_t track) {
  if (!zone.head_sectors.empty()) return heads_grow_short(zone, found, track);
  if (track == 0 || found.span >= zone.slots.sectors()) return false;
  const TrackPlace before = zone.order.at(track - 1), here = zone.order.at(track);
  constexpr int kLookedAt = 3;  // tracks behind: one of four may be shorter still, by a defect
  std::uint64_t next = found.last + 1, longest = found.span;
  int as_long = 1;
  bool begins_cylinder = before.cylinder != here.cylinder;
  for (int i = 0; i < kLookedAt && next < survey_.blocks() && as_long < 2; ++i) {
    const TrackPlace place = track_of(survey_.at(next).place);
    if (i == 0 && before.cylinder == here.cylinder && place.cylinder != here.cylinder) return false;
    if (i == 0 && place.cylinder != here.cylinder) begins_cylinder = false;
    const std::uint64_t last = last_on_track(next, next + longest - 1);
    const std::uint64_t span = span_of(next, last);
    if (span >= zone.slots.sectors()) return false;
    if (span == longest) ++as_long;
    if (span > longest) as_long = 1;
    longest = std::max(longest, span);
    next = last + 1;
  }
  constexpr std::uint64_t kMostSlips = 4;
  return as_long > 1 && (longest - found.span <= kMostSlips || begins_cylinder);
}

// The same where each head has its own length: more of the tracks behind are shorter than are not.
bool Mapper::heads_grow_short(const Zone& zone, const TrackMeasure& found, std::uint64_t track) {
  if (track == 0 || found.span >= zone.sectors_of(track)) return false;
  const TrackPlace before = zone.order.at(track - 1), here = zone.order.at(track);
  constexpr int kLookedAt = 5;  // tracks behind
  int shorter = 0, as_long = 0;
  std::uint64_t next = found.last + 1;
  for (int i = 0; i < kLookedAt && next < survey_.blocks(); ++i) {
    while (is_remapped(next) && next + 1 < survey_.blocks()) ++next;
    const TrackPlace place = track_of(survey_.at(next).place);
    if (i == 0 && before.cylinder == here.cylinder && place.cylinder != here.cylinder) return false;
    const std::uint64_t sectors = zone.sectors_on(place.head);
    const std::uint64_t last = last_on_track(next, next + sectors - 1);
    const std::uint64_t span = span_of(next, last);
    if (span > sectors) return true;
    ++(span < sectors ? shorter : as_long);
    next = last + 1;
  }
  return shorter > as_long;
}

// Spares or reserved tracks at the end of a cylinder, after many cylinders without: zones are told
// apart by them even if the tracks behind are as long (their angles may begin anew).
bool Mapper::zone_ends(const Zone& zone, const TrackMeasure& found, std::uint64_t track) {
  constexpr std::uint64_t kManyCycles = 64;
  constexpr std::uint64_t kFewestSpares = 2;
  const std::uint64_t landing = found.last + 1;
  if (track < kManyCycles * zone.order.cycle() || landing >= survey_.blocks()) return false;
  const TrackPlace last = zone.order.at(track), next = track_of(survey_.at(landing).place);
  const std::uint64_t spares = zone.sectors_of(track) - found.span;
  return last.cylinder != next.cylinder && zone.order.cycle() > 1 && zone.slots.series().empty() &&
         (spares >= kFewestSpares || next != zone.order.at(track + 1));
}

// Block `lbn` follows the last one of `track`, and is not where the next track should begin.
void Mapper::land(std::size_t zone, std::uint64_t track, std::uint64_t lbn) {
  if (note_remap(zone, lbn) || reinterpret(zone, lbn)) return;
  const std::uint32_t front = front_offset(lbn);
  const bool order_is_known = zones_[zone].order.repeated(track + 1);
  const std::uint32_t sectors = zones_[zone].sectors_on(survey_.at(lbn).place.head);
  const auto length = length_of(track_of(survey_.at(lbn).place), sectors);
  if (length && *length != sectors && heads_differ(zone, track_of(survey_.at(lbn).place), *length))
    return;
  const std::uint32_t unnumbered = listed_on(track_of(survey_.at(lbn).place));
  if (length && *length != sectors && *length + unnumbered != sectors &&
      !lacks_few(zones_[zone].order.at(track + 2), *length, sectors)) {
    zones_.resize(zone + 1);
    start_zone(lbn);
    return;
  }
  if (order_is_known ? skipped_ahead(zone, track, lbn, front)
                     : order_goes_on(zone, track, lbn, front))
    return;
  if (heads_seem_to_differ(zone)) return;
  zones_.resize(zone + 1);
  start_zone(lbn);
}

// Spares that come at a stride may be counted without the tracks that were left out: then the next
// ones are elsewhere, and so are the blocks around them. `from`: the slot where tracks were left
// out, and the track where the order goes on.
bool Mapper::spares_go_on(const Zone& zone, SlotRange from, std::uint64_t end) {
  const std::uint64_t skipped = from.end - zone.slots.lengths().track_of(from.first);
  for (const SpareSeries& series : zone.slots.series()) {
    const bool open = series.count == SpareSeries::kOpen;
    if (!open || skipped % series.stride == 0) continue;
    const auto occurrence = zone.slots.occurrence_from(series, zone.first_slot(from.end));
    if (!occurrence) continue;
    const SlotRange spares = zone.slots.range(series, *occurrence);
    const std::uint64_t track = zone.slots.lengths().track_of(spares.first);
    for (const std::uint64_t near : {track, track + 1, track + 2})
      if (near > from.end && !boundary_agrees(zone, near, end)) return false;
  }
  return true;
}

// Spares, reserved or left out tracks and cylinders: the order goes on as it was, further on.
bool Mapper::skipped_ahead(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                           std::uint32_t front) {
  constexpr std::uint64_t kFarthestCycles = 64;
  const Zone& here = zones_[zone];
  const auto to = here.order.find(track_of(survey_.at(lbn).place), track + 1);
  if (!to || *to - track > kFarthestCycles * (here.order.cycle() + 1)) return false;
  // Tracks of another length are none of this zone that hold no block.
  for (const std::uint64_t skipped : {track + 1, *to - 1}) {
    if (skipped <= track || skipped >= *to) continue;
    const auto length = length_of(here.order.at(skipped), here.sectors_of(skipped));
    if (length && *length != here.sectors_of(skipped)) return false;
  }
  const SlotRange gap{here.first_slot(track + 1), here.first_slot(*to) + front};
  if (front >= here.sectors_of(*to)) return false;
  Zone trial = here;
  // Spares that the map has in front of the block may be used.
  const std::uint64_t wanted = here.slots.slot_of(lbn - here.first_lbn);
  const std::uint64_t measured =
      std::max(gap.end, std::min(wanted, here.first_slot(*to) + here.sectors_of(*to) - 1)) + 1;
  std::vector<SlotRange> free;
  if (gap.end > gap.first) free.push_back(gap);
  trial.slots.measured({gap.first, measured}, free);
  const std::uint64_t end = zone + 1 == zones_.size() ? survey_.blocks() : end_of(zone);
  if (!agrees(trial, lbn) || !boundary_agrees(trial, *to + 1, end) ||
      !spares_go_on(trial, {gap.first, *to}, end))
    return false;
  unsettled_ |= trial.slots.learn_series();
  zones_[zone] = std::move(trial);
  return true;
}

// The order of the tracks is not fully known yet: the landing place is the next of them.
bool Mapper::order_goes_on(std::size_t zone, std::uint64_t track, std::uint64_t lbn,
                           std::uint32_t front) {
  if (zone + 1 != zones_.size()) return false;
  // Tracks: some may be short by spares or defects, none may be longer.
  constexpr int kLookedAt = 4;
  std::uint64_t start = lbn;
  bool as_long = survey_.answers_back();  // then it was asked
  for (int i = 0; i < kLookedAt && start < survey_.blocks() && !as_long; ++i) {
    const std::uint64_t here = zones_[zone].sectors_on(survey_.at(start).place.head);
    const std::uint64_t last = last_on_track(
        start, start + here - std::min<std::uint64_t>(here, i == 0 ? front : 0) - 1);
    const std::uint64_t span = span_of(start, last);
    if (span > here) return false;
    as_long = span == here;
    start = last + 1;
  }
  if (!as_long && start < survey_.blocks()) return false;
  Zone& here = zones_[zone];
  const TrackPlace place = track_of(survey_.at(lbn).place);
  if (here.order.find(place) && *here.order.find(place) <= track) return false;
  unsettled_ = true;
  if (here.order.is_inherited()) here.good = 0;  // it was taken in leaps
  here.order.continue_with(track + 1, place);
  here.slots.set_lengths(lengths_of(here, here.order));
  load_slips(here);
  if (!numbering_.from_index) here.leave_front_free(track + 1, front);
  if (front > 0) unsettled_ |= here.slots.learn_series();
  return true;
}

// ---- where no rule holds

// Around a block the drive follows no rule: from the last track before it that everything seen
// agrees with, every track is looked at by itself, the further the more often this happens. Where
// that does not help either the blocks are given up, in plain words.
void Mapper::follow_no_rule(std::uint64_t lbn) {
  constexpr std::uint64_t kFewestTracks = 64;
  const std::size_t index = zone_of(lbn);
  Zone& zone = zones_[index];
  const std::uint64_t tracks = kFewestTracks << std::min<std::size_t>(irregular_.size(), 16);
  const std::uint64_t far = std::min(survey_.blocks(), lbn + tracks * zone.slots.sectors());
  attempts_.clear();
  if (zone.irregular) {
    zone.not_understood = fmt::format("around block {} the drive's answers follow no rule", lbn);
    std::uint64_t next = lbn + kFewestTracks * zone.slots.sectors();
    if (next < survey_.blocks()) next = last_on_track(next, next + zone.slots.sectors() / 2) + 1;
    zones_.resize(index + 1);
    if (next < survey_.blocks()) start_zone(next);
    return;
  }
  std::uint64_t wrong = lbn;
  for (auto known = survey_.known().lower_bound(zone.first_lbn);
       known != survey_.known().end() && known->first < wrong; ++known)
    if (!matches(zone, known->first, known->second)) wrong = known->first;
  constexpr std::uint64_t kTracksBefore = 2;
  std::uint64_t track = expected(zone, wrong).track;
  track -= std::min(track, kTracksBefore);
  while (track > 0 && !boundary_agrees(zone, track, end_of(index))) --track;
  const bool keeps_beginning = track > 0;
  const std::uint64_t from = zone.first_block(track);
  irregular_.push_back({from, far});
  zones_.resize(keeps_beginning ? index + 1 : index);
  start_zone(from);
}

bool Mapper::follows_no_rule(std::uint64_t lbn) const {
  return std::ranges::any_of(
      irregular_, [lbn](const BlockRange& range) { return lbn >= range.first && lbn < range.end; });
}

// Looks at the tracks of the last zone one after the other. True once the last block is reached.
bool Mapper::walk() {
  constexpr std::uint64_t kMostTracks = 256;
  const std::size_t index = zones_.size() - 1;
  while (true) {
    Zone& zone = zones_[index];
    if (!zone.not_understood.empty()) return true;
    const std::uint64_t track = zone.good;
    const TrackMeasure found = measure(zone, track, survey_.blocks());
    const std::uint32_t sectors = zone.slots.sectors();
    const auto length = length_of(zone.order.at(track), sectors);
    if (track > 0 && (found.span > sectors || (length && *length != sectors))) {
      start_zone(found.first);
      return false;
    }
    if (found.span > sectors) zone.slots.widen(TrackLengths(found.span), false, 0);
    note_measured(zone, track, found, found.last + 1 >= survey_.blocks());
    std::uint64_t landing = found.last + 1;
    if (landing >= survey_.blocks()) return true;
    if (!follows_no_rule(landing) || track + 1 >= kMostTracks) {
      start_zone(landing);
      return false;
    }
    const std::uint64_t first = landing;
    while (is_remapped(landing) && landing + 1 < survey_.blocks()) ++landing;
    const TrackPlace place = track_of(survey_.at(landing).place);
    const auto met = zone.order.find(place);
    if (met && *met <= track) {
      start_zone(first);
      return false;
    }
    zone.order.append(place);
    zone.good = track + 1;
    const std::uint64_t slot = front_offset(landing);
    const std::uint64_t front = slot - std::min(slot, landing - first);
    if (front > 0 && front < zone.slots.sectors()) zone.leave_front_free(track + 1, front);
  }
}

}  // namespace platter::layout
