#include "layout/mapper.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/error.h"

namespace platter::layout {

namespace {

TrackPlace track_of(const scsi::PhysicalAddress& place) { return {place.cylinder, place.head}; }

// The order of the tracks goes on as in another zone: `tracks` are the first of the new one.
bool continue_as(const Zone& other, const std::vector<TrackPlace>& tracks, Zone& zone) {
  for (TrackOrder& order : other.order.restarts(tracks[0])) {
    if (tracks.size() > 1 && order.at(1) != tracks[1]) continue;
    zone.order = std::move(order);
    return true;
  }
  return false;
}

// A track's first block lies `front` slots behind its beginning; spares that the map has there
// besides are used.
void leave_front_free(Zone& zone, std::uint64_t track, std::uint64_t front) {
  const std::uint64_t first = zone.first_slot(track), end = first + zone.sectors_of(track);
  const auto free = zone.slots.free_ranges(first, end);
  std::uint64_t until = first + front;
  if (!free.empty() && free.front().first == first) until = std::max(until, free.front().end);
  if (until == first) return;
  const SlotRange range{first, std::min(until + 1, end)};
  zone.slots.measured(range, front > 0 ? std::vector<SlotRange>{{first, first + front}}
                                       : std::vector<SlotRange>{});
}

}  // namespace

Mapper::Mapper(Survey& survey, Defects defects) : survey_(survey), defects_(std::move(defects)) {
  for (const auto* list : {&defects_.primary, &defects_.primary_tracks})
    for (const scsi::PhysicalAddress& defect : *list)
      listed_[{defect.cylinder, defect.head}].insert(defect.sector);
}

// ---- the map as it is

std::size_t Mapper::zone_of(std::uint64_t lbn) const {
  const auto next = std::partition_point(zones_.begin(), zones_.end(),
                                         [lbn](const Zone& zone) { return zone.first_lbn <= lbn; });
  return static_cast<std::size_t>(next - zones_.begin()) - 1;
}

std::uint64_t Mapper::end_of(std::size_t zone) const {
  return zone + 1 < zones_.size() ? zones_[zone + 1].first_lbn : survey_.blocks();
}

std::uint64_t Mapper::tracks_of(std::size_t zone) const {
  return expected(zones_[zone], end_of(zone) - 1).track + 1;
}

std::optional<Mapper::Found> Mapper::find(TrackPlace place) const {
  std::optional<Found> spare;  // a track that only lies among those of a zone
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    const Zone& zone = zones_[i];
    const auto track = zone.order.find(place);
    if (!track || *track >= tracks_of(i)) continue;
    if (zone.first_block(*track) < zone.first_block(*track + 1)) return Found{i, *track};
    if (!spare) spare = Found{i, *track};
  }
  return spare;
}

std::uint32_t Mapper::sector_of(const Found& found, std::uint64_t slot) {
  const Zone& zone = zones_[found.zone];
  if (!numbering_.from_index) return number_of_slot(zone.order.at(found.track), slot);
  std::uint64_t lbn = std::min(zone.first_block(found.track), end_of(found.zone) - 1);
  while (is_remapped(lbn) && lbn + 1 < end_of(found.zone)) ++lbn;
  const std::uint64_t sectors = zone.sectors_of(found.track);
  const std::uint64_t known = expected(zone, lbn).slot;
  const std::uint64_t number = survey_.at(lbn).place.sector - numbering_.base;
  return numbering_.base + static_cast<std::uint32_t>((number + slot + sectors - known) % sectors);
}

std::uint64_t Mapper::slot_in_track(const Found& found, std::uint32_t sector) {
  if (!numbering_.from_index)
    return slot_of_number(zones_[found.zone].order.at(found.track), sector);
  const std::uint64_t sectors = zones_[found.zone].sectors_of(found.track);
  if (sector - numbering_.base >= sectors) return sector - numbering_.base;
  return (sector + sectors - sector_of(found, 0)) % sectors;
}

// Lists name slipped sectors, so what they count by has numbers for those.
std::uint64_t Mapper::slot_of_defect(const Found& found, std::uint32_t sector) {
  return numbering_.from_index ? slot_in_track(found, sector) : sector - numbering_.base;
}

void Mapper::lengthen(std::size_t zone, std::uint32_t sectors) {
  zones_[zone].slots.widen(TrackLengths(sectors), true, 0);
  load_slips(zones_[zone]);
}

bool Mapper::is_remapped(std::uint64_t lbn) {
  return remaps_.contains(lbn) || survey_.at(lbn).remapped;
}

// ---- does the drive agree?

bool Mapper::matches(const Zone& zone, std::uint64_t lbn, const Answer& answer) const {
  if (remaps_.contains(lbn) || !zone.not_understood.empty()) return true;
  const Expected here = expected(zone, lbn);
  if (here.place != track_of(answer.place)) return false;
  if (!numbering_.from_index) return answer.place.sector == numbering_.base + number_of(zone, here);
  if (answer.remapped) return false;  // on its track, it may lie anywhere there
  // Only distances within a track can be told, where its first block was looked up.
  const auto first = survey_.known().find(lbn - here.rank);
  if (here.rank == 0 || first == survey_.known().end() || first->second.remapped ||
      track_of(first->second.place) != here.place || lbn - here.rank < zone.first_lbn)
    return true;
  const std::uint64_t sectors = zone.sectors_of(here.track);
  const std::uint64_t distance = here.slot - expected(zone, first->first).slot;
  return (first->second.place.sector - numbering_.base + distance) % sectors ==
         answer.place.sector - numbering_.base;
}

// Slots are numbered in order; slipped ones may have no number.
std::uint64_t Mapper::number_of(const Zone& zone, const Expected& where) const {
  if (!numbering_.renumbered) return where.slot;
  const std::uint64_t first = zone.first_slot(where.track);
  return where.slot - zone.slots.slips_between(first, first + where.slot);
}

bool Mapper::agrees(const Zone& zone, std::uint64_t lbn) {
  const Answer& answer = survey_.at(lbn);
  if (tells_base(answer.place.sector)) throw Restart{};
  return matches(zone, lbn, answer);
}

// Numbers start at 0 or at 1: the lowest that was seen, or 0 where all that were seen are higher.
// True if this one tells another base than was taken.
bool Mapper::tells_base(std::uint32_t sector) {
  const std::uint32_t before = numbering_.base;
  if (base_is_assumed_ && sector <= 1) {
    base_is_assumed_ = false;
    numbering_.base = sector;
  }
  numbering_.base = std::min(numbering_.base, sector);
  return numbering_.base != before;
}

// All blocks before a track are on the tracks before it, and none of its own.
bool Mapper::boundary_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  std::uint64_t lbn = std::min(zone.first_block(track), end - 1);
  std::uint64_t before = lbn;
  while (remaps_.contains(lbn) && lbn + 1 < end) ++lbn;
  if (!agrees(zone, lbn)) return false;
  // Counted from the index a place on the track says little: the last block of the one before, too.
  while (before > zone.first_lbn && remaps_.contains(before - 1)) --before;
  return !numbering_.from_index || before == zone.first_lbn || agrees(zone, before - 1);
}

std::uint64_t Mapper::last_agreeing(std::size_t zone, std::uint64_t good, std::uint64_t bad) {
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (boundary_agrees(zones_[zone], middle, end_of(zone)) ? good : bad) = middle;
  }
  return good;
}

// ---- growing

void Mapper::grow() {
  while (true) {
    try {
      begin();
      while (!advance()) {
      }
      return;
    } catch (const Restart&) {
      count_restart();
    } catch (const OutOfTranslations&) {
      leave_the_rest();
      return;
    }
  }
}

// No more questions may be asked: blocks behind the last that was looked up are where the last zone
// has them, perhaps.
void Mapper::leave_the_rest() {
  if (zones_.empty()) throw;
  survey_.stop();
  const std::uint64_t first = std::min(zones_.back().first_block(zones_.back().good), survey_.blocks() - 1);
  not_looked_at_ = std::min(not_looked_at_.value_or(first), first);
}

void Mapper::do_not_understand(std::uint64_t lbn) {
  Zone& zone = zones_[zone_of(lbn)];
  if (zone.not_understood.empty())
    zone.not_understood = fmt::format(
        "block {} and others were found elsewhere than the drive's own rules have them", lbn);
}

std::vector<model::NotUnderstood> Mapper::not_understood() const {
  std::vector<model::NotUnderstood> ranges;
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    if (zones_[i].not_understood.empty()) continue;
    ranges.push_back({zones_[i].first_lbn, end_of(i) - 1, zones_[i].not_understood});
  }
  if (not_looked_at_) {
    std::erase_if(ranges, [&](const auto& range) { return range.first_lbn >= *not_looked_at_; });
    if (!ranges.empty() && ranges.back().last_lbn >= *not_looked_at_)
      ranges.back().last_lbn = *not_looked_at_ - 1;
    ranges.push_back({*not_looked_at_, survey_.blocks() - 1,
                      fmt::format("the drive's layout was not mapped so far with {} address "
                                  "translations",
                                  survey_.translations())});
  }
  return ranges;
}

void Mapper::count_restart() {
  constexpr int kMostRestarts = 6;
  zones_.clear();
  if (++restarts_ <= kMostRestarts) return;
  throw Error(ExitStatus::unsupported,
              fmt::format("{} numbers the sectors of its tracks in a way that is not known here; no "
                          "map is given rather than a wrong one",
                          survey_.name()));
}

void Mapper::begin() {
  remaps_.clear();
  attempts_.clear();
  repairs_ = 0;
  heads_looked_at_ = 0;
  // Counted from the first of the track a higher number has spares in front of it.
  if (restarts_ == 0) numbering_.base = lowest_number(survey_.at(0).place);
  if (numbering_.from_index && base_is_assumed_) numbering_.base = survey_.at(0).place.sector;
  base_is_assumed_ = !numbering_.from_index && (base_is_assumed_ || numbering_.base > 1);
  if (base_is_assumed_) numbering_.base = 0;
  start_zone(0);
}

bool Mapper::advance() {
  try {
    return zones_.back().irregular ? walk() : leap();
  } catch (const Irregular& place) {
    follow_no_rule(place.lbn);
    return zones_.back().first_lbn >= survey_.blocks();
  }
}

// Jumps ahead in doubling steps of tracks; at the first disagreement finds the last track that is
// where it should be, and there the reason. True once the last block is reached.
bool Mapper::leap() {
  const std::size_t zone = zones_.size() - 1;
  const std::uint64_t blocks = survey_.blocks();
  if (!boundary_agrees(zones_[zone], zones_[zone].good, blocks)) zones_[zone].good = 0;
  for (std::uint64_t step = 1;; step *= 2) {
    Zone& last = zones_[zone];
    if (last.good < last.order.tracks_to_walk()) step = 1;
    const std::uint64_t next = last.good + step;
    if (boundary_agrees(last, next, blocks)) {
      if (last.first_block(next) >= blocks) return true;
      last.good = next;
      continue;
    }
    const std::uint64_t good = last_agreeing(zone, last.good, next);
    last.good = good;
    resolve(zone, good);
    if (zones_.size() <= zone) return false;
    settle(zone, zones_.size() > zone + 1 ? zones_[zone + 1].first_lbn
                                          : zones_[zone].first_block(good + 1) + 1);
    return false;
  }
}

// What was seen before still holds after the map was changed? Only asked after changes that reach
// back behind the track that was measured.
void Mapper::settle(std::size_t zone, std::uint64_t frontier) {
  if (!unsettled_ && zones_[zone].slots.absorb() != Absorb::previous) return;
  unsettled_ = false;
  for (bool changed = true; changed;) {
    changed = false;
    if (zone >= zones_.size()) return;
    const auto from = survey_.known().lower_bound(zones_[zone].first_lbn);
    const auto end = [&] { return std::min(frontier, end_of(zone)); };  // a repair may end the zone
    for (auto known = from; known != survey_.known().end() && known->first < end(); ++known) {
      if (matches(zones_[zone], known->first, known->second)) continue;
      const std::uint64_t lbn = known->first;
      const std::size_t zones = zones_.size();
      repair(zone, lbn);
      if (zones_.size() != zones) return;
      changed = true;  // then what came before it is looked at once more, at the end
    }
  }
}

void Mapper::count_attempt(std::uint64_t lbn) {
  // A repair that asks nothing new repeats itself.
  constexpr int kMostAttempts = 24;
  constexpr std::uint64_t kMostRepairs = 500;
  if (++attempts_[lbn] > kMostAttempts || ++repairs_ > kMostRepairs + survey_.translations())
    give_up(lbn);
}

void Mapper::give_up(std::uint64_t lbn) {
  survey_.ask_again(64);
  throw Irregular{lbn};
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
    if (front > 0 && front < zone.slots.sectors()) leave_front_free(zone, track + 1, front);
  }
}

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
    const auto found =
        length_of({place.cylinder, head}, static_cast<std::uint32_t>(std::max<std::int64_t>(hint, 1)));
    if (!found) break;
    sectors.push_back(*found);
  }
  const bool alike = std::ranges::all_of(sectors, [&](std::uint32_t s) { return s == length; });
  if (alike || static_cast<std::size_t>(place.head) >= sectors.size()) return {};
  return sectors;
}

// A track is not as long as it should be, and the drive does not say how long tracks are: the zone
// begins anew with what its first tracks show of each head, if that differs. Looked at less and less
// often where it does not.
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
    const std::uint64_t last = last_on_track(regular, regular + hint - std::min<std::uint64_t>(hint, 1));
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

// Whether the numbers that the track of a block has say that slipped sectors have none (`unnumbered`),
// or that they do.
bool Mapper::numbers_show(const Zone& zone, std::uint64_t lbn, bool unnumbered) {
  const std::uint64_t track = expected(zone, lbn).track;
  const std::uint32_t sectors = zone.sectors_of(track), listed = listed_on(zone.order.at(track));
  const auto length = length_of(zone.order.at(track), sectors);
  if (!length || listed == 0) return false;
  const std::uint32_t numbers = *length - (numbering_.renumbered ? listed : 0);
  return unnumbered ? lacks_listed(zone, track, numbers) : numbers == sectors;
}

// The track has fewer numbers than it has sectors, by as many as it has listed defects, and the next
// one of its head that has none has all the numbers.
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
      const std::uint32_t slot =
          numbering_.from_index ? sectors / 2 : defect.sector - numbering_.base;
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
    const bool each_cylinder =
        from.order.at(track + series.stride).cylinder != from.order.at(track).cylinder &&
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
    if (i == 0) length = length_of(track_of(start), static_cast<std::uint32_t>(std::max(span, hint)));
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
  if (!numbering_.from_index && slot >= ahead) leave_front_free(zone, 0, slot - ahead);
  zones_.push_back(std::move(zone));
}

// ---- where the drive disagrees

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
  const bool on_its_track =
      expected(here, lbn).place == track_of(survey_.at(lbn).place) && !numbering_.from_index;
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

// Slots from a track's first to its last block, as far as the numbers show them.
std::uint64_t Mapper::span_of(std::uint64_t first, std::uint64_t last) {
  while (last > first && is_remapped(last)) --last;
  if (numbering_.from_index) {
    const auto wrapped = first_after_wrap(first, last);
    const std::uint64_t length = last - first + 1;
    if (!wrapped) return length;
    return std::max<std::uint64_t>(length,
                                   survey_.at(*wrapped - 1).place.sector - numbering_.base + 1);
  }
  return survey_.at(last).place.sector - numbering_.base + 1;
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
// ones are elsewhere, and so are the blocks around them. `from`: the slot where tracks were left out,
// and the track where the order goes on.
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
    const std::uint64_t last =
        last_on_track(start, start + here - std::min<std::uint64_t>(here, i == 0 ? front : 0) - 1);
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
  if (!numbering_.from_index) leave_front_free(here, track + 1, front);
  if (front > 0) unsettled_ |= here.slots.learn_series();
  return true;
}

// ---- looking closely at one track

std::uint64_t Mapper::last_on_track(std::uint64_t lbn, std::uint64_t hint) {
  const TrackPlace place = track_of(survey_.at(lbn).place);
  const auto on_track = [&](std::uint64_t other) {
    // A remapped block tells nothing: its neighbour does.
    while (other > lbn && is_remapped(other)) --other;
    return track_of(survey_.at(other).place) == place;
  };
  return last_on_track(lbn, hint, on_track, survey_.blocks());
}

std::uint64_t Mapper::last_on_track(std::uint64_t lbn, std::uint64_t hint,
                                    const std::function<bool(std::uint64_t)>& on_track,
                                    std::uint64_t end) {
  std::uint64_t low = lbn, high = end;  // low is on the track, high is not
  for (const std::uint64_t guess : {hint, hint + 1}) {
    if (guess > low && guess < high) (on_track(guess) ? low : high) = guess;
  }
  for (std::uint64_t step = 1; high == end && low + step < end; step *= 2) {
    const std::uint64_t guess = low + step;
    (on_track(guess) ? low : high) = guess;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (on_track(middle) ? low : high) = middle;
  }
  return low;
}

// The first block whose sector number is below that of block `first`: both on one track.
std::optional<std::uint64_t> Mapper::first_after_wrap(std::uint64_t first, std::uint64_t last) {
  const std::uint32_t start = survey_.at(first).place.sector;
  const auto is_behind = [&](std::uint64_t lbn) {
    while (lbn > first && is_remapped(lbn)) --lbn;
    return survey_.at(lbn).place.sector < start;
  };
  if (!is_behind(last)) return std::nullopt;
  std::uint64_t low = first, high = last;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_behind(middle) ? high : low) = middle;
  }
  return high;
}

Mapper::TrackMeasure Mapper::measure(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  TrackMeasure found;
  const TrackPlace place = zone.order.at(track);
  const std::uint32_t sectors = zone.sectors_of(track);
  std::uint64_t first = zone.first_block(track);
  const std::uint64_t regular_first = first;
  while (first + 1 < end && is_remapped(first)) ++first;
  const auto on_track = [&](std::uint64_t lbn) {
    while (lbn > first && is_remapped(lbn)) --lbn;
    return track_of(survey_.at(lbn).place) == place;
  };
  if (!on_track(first)) give_up(first);

  // Where the block is that should be first on the next track tells by how much this one differs.
  const std::uint64_t next = std::min(zone.first_block(track + 1), end - 1);
  std::uint64_t hint = next > first ? next - 1 : first;
  if (!numbering_.from_index && !is_remapped(next)) {
    const scsi::PhysicalAddress seen = survey_.at(next).place;
    const std::uint64_t slot = seen.sector - numbering_.base;
    if (track_of(seen) == zone.order.at(track + 1) && slot < next - first) hint = next - slot - 1;
    if (track_of(seen) == place && slot < sectors) hint = next + (sectors - 1 - slot);
  }
  std::uint64_t last = last_on_track(first, hint, on_track, end);
  // A block that is elsewhere with no word of it, and the track goes on.
  while (last + 2 < end && track_of(survey_.at(last + 1).place) != zone.order.at(track + 1) &&
         !is_remapped(last + 1) && track_of(survey_.at(last + 2).place) == place &&
         survey_.at(last + 2).place.sector != survey_.at(last).place.sector + 1) {
    remaps_[last + 1] = survey_.at(last + 1).place;
    last = last_on_track(last + 2, hint, on_track, end);
  }
  found.first = regular_first;
  found.last = last;

  const Expected start = expected(zone, first);
  std::uint64_t final = last;
  while (final > first && is_remapped(final)) --final;
  const std::uint32_t start_sector = survey_.at(first).place.sector;
  const std::uint32_t final_sector = survey_.at(final).place.sector;
  if (final_sector < start_sector && !numbering_.from_index) {
    numbering_.from_index = true;
    throw Restart{};
  }
  const std::uint64_t behind = last - final;
  if (numbering_.from_index) {
    std::uint32_t modulus = sectors;
    if (const auto wrapped = first_after_wrap(first, final)) {
      std::uint64_t top = *wrapped - 1;
      while (top > first && is_remapped(top)) --top;
      const std::uint32_t lowest = survey_.at(*wrapped).place.sector;
      if (tells_base(lowest)) throw Restart{};
      const std::uint32_t highest = survey_.at(top).place.sector - numbering_.base;
      if (highest >= modulus) modulus = highest + 1;
      // Numbers that wrap early: shorter tracks, if the next one is as short; else a slip there.
      const std::uint64_t length = last - regular_first + 1, next_first = last + 1;
      if (highest + 1 < modulus && length <= highest + 1 && next_first < survey_.blocks() &&
          span_of(next_first, last_on_track(next_first, next_first + length - 1)) == highest + 1)
        modulus = highest + 1;
    } else {
      modulus = std::max(modulus, final_sector - numbering_.base + 1);
    }
    const std::uint64_t distance = (final_sector + modulus - start_sector) % modulus;
    std::uint64_t slot = start.slot;
    if (slot + distance + behind >= std::max(modulus, sectors)) slot = 0;  // it cannot be there
    if (modulus == sectors && slot == 0 && distance + behind + 1 < sectors)
      slot = front_slips(zone, track, start_sector, sectors - (distance + behind + 1));
    found.first_slot = slot - std::min(slot, first - regular_first);
    find_holes(first, final, place, slot, modulus, found.holes);
    found.span = static_cast<std::uint32_t>(slot + distance + behind + 1);
    if (modulus > sectors) found.span = std::max(found.span, modulus);
    return found;
  }
  const std::uint64_t slot = start_sector - numbering_.base;
  found.first_slot = slot - std::min(slot, first - regular_first);
  find_holes(first, final, place, slot, 0, found.holes);
  found.span = static_cast<std::uint32_t>(final_sector - numbering_.base + behind + 1);
  if (numbering_.renumbered) insert_slips(zone, track, found);
  return found;
}

// Where numbers start at the index, a track that lacks blocks may lack them in front or at its end.
// Its neighbours of two cycles tell where its first slot should be: the skew is the same each time.
std::uint64_t Mapper::front_slips(const Zone& zone, std::uint64_t track, std::uint32_t start_sector,
                                  std::uint64_t missing) {
  const std::uint64_t sectors = zone.sectors_of(track), cycle = zone.order.cycle();
  if (zone.irregular || track < 2 * cycle) return 0;
  // The sector number of a track's first slot.
  const auto start_of = [&](std::uint64_t other) -> std::optional<std::uint64_t> {
    const std::uint64_t lbn = zone.first_block(other);
    if (lbn >= survey_.blocks() || is_remapped(lbn) ||
        track_of(survey_.at(lbn).place) != zone.order.at(other))
      return std::nullopt;
    const std::uint64_t number = survey_.at(lbn).place.sector - numbering_.base;
    return (number + sectors - expected(zone, lbn).slot) % sectors;
  };
  const auto near = start_of(track - cycle), far = start_of(track - 2 * cycle);
  if (!near || !far) return 0;
  const std::uint64_t regular = (2 * *near + sectors - *far) % sectors;
  const std::uint64_t front = (start_sector - numbering_.base + sectors - regular) % sectors;
  // Skews need not be whole sectors: a start may be one off.
  if (front + 1 >= missing && front <= missing + 1 && (front > 1 || missing == front))
    return missing;
  return front > 1 && front < missing ? front : 0;
}

// So many listed sectors side by side, the last of them in front of the one with this number.
std::uint64_t Mapper::listed_before(TrackPlace place, std::uint64_t number,
                                    std::uint64_t sectors) const {
  const std::set<std::uint32_t>& listed = listed_sectors(place);
  const auto in_front = [&](std::uint64_t count) {
    return numbering_.base + static_cast<std::uint32_t>((number + sectors - count) % sectors);
  };
  std::uint64_t count = 0;
  while (count < listed.size() && listed.contains(in_front(count + 1))) ++count;
  return count;
}

// What neighbours on both sides, as far as the zone has them, tell of where a track begins.
std::optional<ToldStarts> Mapper::starts_by_neighbours(std::size_t index, std::uint64_t track) {
  constexpr std::int64_t kNeighbours = 6;
  const Zone& zone = zones_[index];
  const auto cycle = static_cast<std::int64_t>(zone.order.cycle());
  const std::uint64_t sectors = zone.sectors_of(track), tracks = tracks_of(index);
  std::vector<SeenStart> seen;
  for (std::int64_t k = -kNeighbours; k <= kNeighbours; ++k) {
    const std::int64_t other = static_cast<std::int64_t>(track) + k * cycle;
    if (k == 0 || other < 0 || other + 1 >= static_cast<std::int64_t>(tracks)) continue;
    const auto neighbour = static_cast<std::uint64_t>(other);
    const TrackPlace place = zone.order.at(neighbour);
    const std::uint64_t lbn = zone.first_block(neighbour);
    if (is_remapped(lbn) || track_of(survey_.at(lbn).place) != place) continue;
    const std::uint64_t number = survey_.at(lbn).place.sector - numbering_.base;
    if (listed_before(place, number, sectors) > 0) continue;  // it may lack blocks in front itself
    seen.push_back({k, (number + sectors - expected(zone, lbn).slot) % sectors});
  }
  return told_starts(seen, sectors);
}

// Where numbers start at the index, a zone's first tracks and those with a listed defect may lack
// blocks in front though they were taken to lack them at their end, or the other way round.
void Mapper::find_fronts() {
  if (!numbering_.from_index) return;
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    if (zones_[i].irregular) continue;
    std::set<std::uint64_t> tracks{0};
    for (const auto& [place, sectors] : listed_) {
      const auto track = zones_[i].order.find({place.first, place.second});
      if (track && *track < tracks_of(i)) tracks.insert(*track);
    }
    for (const std::uint64_t track : tracks) find_front(i, track);
  }
}

void Mapper::find_front(std::size_t index, std::uint64_t track) {
  Zone& zone = zones_[index];
  const std::uint64_t sectors = zone.sectors_of(track), first = zone.first_block(track);
  const std::uint64_t first_slot = zone.first_slot(track);
  const std::uint64_t next = zone.first_block(track + 1);
  if (next >= end_of(index) || next == first || next - first >= sectors || is_remapped(first) ||
      track_of(survey_.at(first).place) != zone.order.at(track))
    return;
  const auto told = starts_by_neighbours(index, track);
  if (!told) return;
  const TrackMeasure found = measure(zone, track, end_of(index));
  const std::uint64_t span = found.span - found.first_slot;
  if (found.first != first || !found.holes.empty() || span > sectors) return;
  const std::uint64_t number = survey_.at(first).place.sector - numbering_.base;
  const auto may_lie_behind = [&](std::uint64_t free) {
    return told->has((number + sectors - free) % sectors, sectors);
  };
  // All that is free lies behind or in front, or the listed sectors next to the first block do.
  const std::uint64_t listed = listed_before(zone.order.at(track), number, sectors);
  std::set<std::uint64_t> fronts{0, sectors - span, std::min(listed, sectors - span)};
  std::erase_if(fronts, [&](std::uint64_t free) { return !may_lie_behind(free); });
  if (fronts.size() != 1 && !told->if_whole) return;
  const std::uint64_t front =
      fronts.size() == 1 ? *fronts.begin() : (number + sectors - *told->if_whole) % sectors;
  if (front + span > sectors) return;
  if (first_slot + front == zone.slots.slot_of(first - zone.first_lbn)) return;
  std::vector<SlotRange> free;
  if (front > 0) free.push_back({first_slot, first_slot + front});
  if (front + span < sectors) free.push_back({first_slot + front + span, first_slot + sectors});
  Zone trial = zone;
  trial.slots.measured({first_slot, first_slot + sectors}, free);
  const auto from = survey_.known().lower_bound(zone.first_lbn);
  const auto end = survey_.known().lower_bound(end_of(index));
  const bool as_seen = std::all_of(
      from, end, [&](const auto& known) { return matches(trial, known.first, known.second); });
  if (as_seen) zone = std::move(trial);
}

// The track's slips do not show in its numbers: as many of those listed as sectors are missing.
void Mapper::insert_slips(const Zone& zone, std::uint64_t track, TrackMeasure& found) const {
  const std::uint64_t first = zone.first_slot(track);
  const std::uint32_t sectors = zone.sectors_of(track);
  for (std::uint64_t slot = 0; slot < found.span && found.span < sectors; ++slot) {
    if (!zone.slots.is_slip(first + slot)) continue;
    if (slot <= found.first_slot) ++found.first_slot;
    for (SlotRange& hole : found.holes) {
      if (hole.first >= slot) ++hole.first;
      if (hole.end > slot) ++hole.end;
    }
    if (slot > found.first_slot) found.holes.push_back({slot, slot + 1});
    ++found.span;
  }
  std::ranges::sort(found.holes, {}, &SlotRange::first);
}

// Slots without a block between two blocks of one track, by bisection of the differences between
// their sector numbers. modulus 0: numbers do not wrap.
void Mapper::find_holes(std::uint64_t low, std::uint64_t high, TrackPlace place,
                        std::uint64_t slot_of_low, std::uint32_t modulus,
                        std::vector<SlotRange>& holes) {
  if (high <= low) return;
  const std::uint64_t from = survey_.at(low).place.sector, to = survey_.at(high).place.sector;
  const std::uint64_t distance = modulus > 0 ? (to + modulus - from) % modulus : to - from;
  const std::uint64_t blocks = high - low;
  if (modulus == 0 && to < from + blocks) {
    numbering_.from_index = true;
    throw Restart{};
  }
  if (distance == blocks) return;
  if (distance < blocks) give_up(low);
  std::uint64_t middle = low + blocks / 2;
  while (middle > low && (is_remapped(middle) || track_of(survey_.at(middle).place) != place)) {
    if (!is_remapped(middle)) remaps_[middle] = survey_.at(middle).place;
    --middle;
  }
  if (middle == low) {  // nothing but remapped blocks up there
    middle = low + blocks / 2 + 1;
    while (middle < high && is_remapped(middle)) ++middle;
  }
  if (middle >= high) {
    const std::uint64_t hole = slot_of_low + blocks;
    holes.push_back({hole, slot_of_low + distance});
    return;
  }
  const std::uint64_t middle_sector = survey_.at(middle).place.sector;
  const std::uint64_t to_middle =
      modulus > 0 ? (middle_sector + modulus - from) % modulus : middle_sector - from;
  find_holes(low, middle, place, slot_of_low, modulus, holes);
  find_holes(middle, high, place, slot_of_low + to_middle, modulus, holes);
}

}  // namespace platter::layout
