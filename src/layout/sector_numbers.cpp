#include "layout/sector_numbers.h"

#include <algorithm>
#include <functional>
#include <set>

namespace platter::layout {

namespace {

// How many of the numbers from 0 on exist, where those that do have no gap: from `hint` on in
// doubling steps, then by halving.
std::uint32_t count_existing(std::uint32_t hint, const std::function<bool(std::uint32_t)>& exists) {
  std::uint32_t there = 0, beyond = 0;  // 0: not known; sectors below `there` exist
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
  return there;
}

}  // namespace

SectorNumbers::SectorNumbers(Survey& survey, const Defects& defects)
    : survey_(survey), defects_(defects), listed_(defects) {}

void SectorNumbers::begin(bool first_time) {
  // Counted from the first of the track a higher number has spares in front of it.
  if (first_time) numbering_.base = lowest_on(survey_.at(0).place);
  if (numbering_.from_index && base_is_assumed_) numbering_.base = survey_.at(0).place.sector;
  base_is_assumed_ = !numbering_.from_index && (base_is_assumed_ || numbering_.base > 1);
  if (base_is_assumed_) numbering_.base = 0;
}

// The lowest sector number of the track, where the drive says which there are.
std::uint32_t SectorNumbers::lowest_on(scsi::PhysicalAddress place) {
  if (!survey_.answers_back()) return place.sector;
  constexpr std::uint32_t kFewest = 2;  // numbers start at 0 or 1
  for (std::uint32_t sector = 0; sector < std::min(kFewest, place.sector); ++sector)
    if (survey_.back({place.cylinder, place.head, sector})) return sector;
  return place.sector;
}

// Numbers start at 0 or at 1: the lowest that was seen, or 0 where all that were seen are higher.
bool SectorNumbers::tells_base(std::uint32_t sector) {
  const std::uint32_t before = numbering_.base;
  if (base_is_assumed_ && sector <= 1) {
    base_is_assumed_ = false;
    numbering_.base = sector;
  }
  numbering_.base = std::min(numbering_.base, sector);
  return numbering_.base != before;
}

// Slots are numbered in order; slipped ones may have no number.
std::uint64_t SectorNumbers::number_at(const Zone& zone, const Expected& where) const {
  if (!numbering_.renumbered) return where.slot;
  const std::uint64_t first = zone.first_slot(where.track);
  return where.slot - zone.slots.slips_between(first, first + where.slot);
}

std::uint32_t SectorNumbers::slot_of(TrackPlace place, std::uint32_t sector) const {
  std::uint32_t slot = from_base(sector);
  if (!numbering_.renumbered) return slot;
  for (const std::uint32_t defect : listed_.sectors_on(place))
    if (from_base(defect) <= slot) ++slot;
  return slot;
}

std::uint32_t SectorNumbers::sector_at(TrackPlace place, std::uint64_t slot) const {
  const std::uint32_t sector = numbering_.base + static_cast<std::uint32_t>(slot);
  if (!numbering_.renumbered) return sector;
  const std::set<std::uint32_t>& listed = listed_.sectors_on(place);
  return sector -
         static_cast<std::uint32_t>(std::distance(listed.begin(), listed.lower_bound(sector)));
}

void SectorNumbers::load_slips(Zone& zone) const {
  std::vector<SlotRange> slips;
  const auto load = [&](const std::vector<scsi::PhysicalAddress>& defects) {
    TrackPlace last{-1, -1};  // lists go by tracks
    std::optional<std::uint64_t> track;
    for (const scsi::PhysicalAddress& defect : defects) {
      if (const TrackPlace place = track_of(defect); place != last) {
        last = place;
        track = zone.order.find(place);
      }
      if (!track || defect.sector < numbering_.base) continue;
      // Counted from the index the place is known only once the track was looked at: anywhere then.
      const std::uint32_t sectors = zone.sectors_of(*track);
      const std::uint32_t sector = numbering_.from_index ? sectors / 2 : from_base(defect.sector);
      if (sector >= sectors) continue;
      const std::uint64_t slot = zone.first_slot(*track) + sector;
      if (!slips.empty() && slips.back().end == slot)
        ++slips.back().end;
      else
        slips.push_back({slot, slot + 1});
    }
  };
  load(defects_.primary);
  // Without a number it is all the same where on its track a sector was slipped.
  if (numbering_.renumbered) load(defects_.primary_tracks);
  zone.slots.set_listed_slips(std::move(slips));
}

std::optional<std::uint32_t> SectorNumbers::length_of(TrackPlace place, std::uint32_t hint) {
  if (place.cylinder < 0 || place.head < 0 || !survey_.answers_back()) return std::nullopt;
  const auto exists = [&](std::uint32_t sector) {
    return survey_
        .back({static_cast<std::uint32_t>(place.cylinder), static_cast<std::uint32_t>(place.head),
               numbering_.base + sector})
        .has_value();
  };
  const std::uint32_t unnumbered = numbering_.renumbered ? listed_.count_on(place) : 0;
  const std::uint32_t numbers = count_existing(std::max(hint, unnumbered + 1) - unnumbered, exists);
  if (numbers == 0) return std::nullopt;
  return numbers + unnumbered;
}

bool SectorNumbers::lacks_few(TrackPlace track, TrackPlace beside, bool heads_differ,
                              std::uint32_t length, std::uint32_t sectors) {
  constexpr std::uint32_t kMostSlips = 4;
  if (defects_.known_primary || holes_seen_ || length >= sectors || sectors - length > kMostSlips)
    return false;
  if (!heads_differ) return length_of(beside, sectors) == sectors;
  // A scratch shortens many tracks of a head, side by side.
  constexpr std::int64_t kFarthest = 64;
  for (std::int64_t away = 1; away <= kFarthest; away *= 2)
    if (length_of({track.cylinder + away, track.head}, sectors) == sectors) return true;
  return false;
}

bool SectorNumbers::lacks_listed(const Zone& zone, std::uint64_t track, std::uint32_t length) {
  constexpr std::int64_t kFarthest = 16;
  const TrackPlace here = zone.order.at(track);
  const std::uint32_t listed = listed_.count_on(here), sectors = zone.sectors_of(track);
  if (listed == 0 || length + listed != sectors) return false;
  for (std::int64_t away = 1; away < kFarthest; ++away) {
    const TrackPlace beside{here.cylinder + away, here.head};
    if (listed_.count_on(beside) > 0) continue;
    if (const auto other = length_of(beside, sectors)) return other == sectors;
  }
  return false;
}

bool SectorNumbers::confirm_slips(const Zone& zone, std::uint64_t lbn, bool unnumbered) {
  const std::uint64_t track = expected(zone, lbn).track;
  const TrackPlace place = zone.order.at(track);
  const std::uint32_t sectors = zone.sectors_of(track), listed = listed_.count_on(place);
  const auto length = length_of(place, sectors);
  if (!length || listed == 0) return false;
  const std::uint32_t numbers = *length - (numbering_.renumbered ? listed : 0);
  return unnumbered ? lacks_listed(zone, track, numbers) : numbers == sectors;
}

}  // namespace platter::layout
