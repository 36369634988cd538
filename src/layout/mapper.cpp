#include "layout/mapper.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/error.h"
#include "model/interruption.h"

namespace platter::layout {

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
      while (!advance()) stop_if_asked();
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
  const std::uint64_t first = std::min(zones_.back().first_block(zones_.back().good),
                                       survey_.blocks() - 1);
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
  throw Error(
      ExitStatus::unsupported,
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

}  // namespace platter::layout
