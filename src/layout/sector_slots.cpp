#include "layout/sector_slots.h"

#include <algorithm>

#include "layout/even_starts.h"

namespace platter::layout {

std::uint32_t SectorSlots::sector_of(const TrackInZone& found, std::uint64_t slot) {
  const Zone& zone = map_.zones[found.zone];
  const Numbering& numbering = numbers_.numbering();
  if (!numbering.from_index) return numbers_.sector_at(zone.order.at(found.track), slot);
  const std::uint64_t end = map_.end_of(found.zone);
  const std::uint64_t lbn = reader_.regular_from(std::min(zone.first_block(found.track), end - 1),
                                                 end);
  const std::uint64_t sectors = zone.sectors_of(found.track);
  const std::uint64_t known = expected(zone, lbn).slot;
  const std::uint64_t number = numbers_.from_base(survey_.at(lbn).place.sector);
  return numbering.base + static_cast<std::uint32_t>((number + slot + sectors - known) % sectors);
}

std::uint64_t SectorSlots::slot_of(const TrackInZone& found, std::uint32_t sector) {
  const Zone& zone = map_.zones[found.zone];
  if (!numbers_.numbering().from_index) return numbers_.slot_of(zone.order.at(found.track), sector);
  const std::uint64_t sectors = zone.sectors_of(found.track);
  if (numbers_.from_base(sector) >= sectors) return numbers_.from_base(sector);
  if (const auto start = start_by_skew(found))
    return (numbers_.from_base(sector) + sectors - *start) % sectors;
  return (sector + sectors - sector_of(found, 0)) % sectors;
}

// With which number a track begins that holds no block: those of its head before it say it, if they
// move on evenly.
std::optional<std::uint64_t> SectorSlots::start_by_skew(const TrackInZone& found) {
  constexpr std::uint64_t kBefore = 16;  // Chosen: of fewer a line that is not whole tells too
                                         // little
  const Zone& zone = map_.zones[found.zone];
  const std::uint64_t end = std::min(zone.first_block(found.track + 1), map_.end_of(found.zone));
  if (zone.first_block(found.track) < end) return std::nullopt;
  const std::uint64_t sectors = zone.sectors_of(found.track), cycle = zone.order.cycle();
  const std::uint64_t before = std::min(kBefore, found.track / cycle);
  EvenStarts starts(sectors);
  for (std::uint64_t index = 0; index < before; ++index) {
    const std::uint64_t track = found.track - (before - index) * cycle;
    const std::uint64_t lbn = zone.first_block(track);
    if (zone.first_block(track + 1) == lbn || lbn >= map_.end_of(found.zone)) continue;
    const scsi::PhysicalAddress place = survey_.at(lbn).place;
    if (reader_.is_remapped(lbn) || track_of(place) != zone.order.at(track)) continue;
    const std::uint64_t slot = expected(zone, lbn).slot;
    starts.see(index, (numbers_.from_base(place.sector) + sectors - slot) % sectors);
  }
  for (std::uint64_t number = 0; number < sectors; ++number)
    if (starts.tells(before, number)) return number;
  return std::nullopt;
}

std::uint64_t SectorSlots::slot_of_defect(const TrackInZone& found, std::uint32_t sector) {
  return numbers_.numbering().from_index ? slot_of(found, sector) : numbers_.from_base(sector);
}

}  // namespace platter::layout
