#include "layout/sector_slots.h"

#include <algorithm>

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
  return (sector + sectors - sector_of(found, 0)) % sectors;
}

std::uint64_t SectorSlots::slot_of_defect(const TrackInZone& found, std::uint32_t sector) {
  return numbers_.numbering().from_index ? slot_of(found, sector) : numbers_.from_base(sector);
}

}  // namespace platter::layout
