#include "virtual_drive/told_places.h"

#include <algorithm>
#include <cmath>

#include "virtual_drive/defects.h"

namespace platter::virtual_drive {
namespace {

constexpr double kByteRounding = 1e-6;  // a sector may begin with a whole byte

}  // namespace

const char* name_of(AddressFormat format) {
  switch (format) {
    case AddressFormat::block:
      return "block";
    case AddressFormat::long_block:
      return "long block";
    case AddressFormat::bytes_from_index:
      return "bytes from index";
    case AddressFormat::physical_sector:
      return "physical sector";
  }
  return "";
}

ToldPlaces::ToldPlaces(const Personality& drive, const engine::LayoutMap& map)
    : drive_(drive), map_(map), from_index_(drive.firmware.sector_numbers == "from index") {
  if (drive.firmware.sector_numbers == "without slipped") {
    slipped_ = defects_of(drive.model).primary;
    std::ranges::sort(slipped_);
  }
  if (!drive.firmware.translates_truly) {
    const std::uint64_t tracks = std::max<std::uint64_t>(
        1, std::uint64_t{drive.cylinders} * drive.heads);
    even_sectors_ = (drive.blocks + tracks - 1) / tracks;
  }
}

// The geometry of mode page 04h, every track alike: what a drive without zones would be.
ToldPlace ToldPlaces::even_place(std::uint64_t lbn) const {
  const std::uint64_t track = lbn / even_sectors_;
  const auto sector = static_cast<std::uint32_t>(lbn % even_sectors_);
  ToldPlace place;
  place.cylinder = static_cast<std::uint32_t>(track / drive_.heads);
  place.head = static_cast<std::uint32_t>(track % drive_.heads);
  place.sector = sector;
  place.bytes_from_index = sector * drive_.block_bytes;
  if (lbn < drive_.blocks) place.lbn = lbn;
  return place;
}

// The slot of the track that begins first behind the index, which is where the angle is 0.
std::uint32_t ToldPlaces::first_after_index(const engine::Track& track) const {
  constexpr double kRounding = 1e-6;  // of a slot: an angle that is a whole number of slots
  const double before = engine::rev_from_angle(track.angle) * track.sectors;
  const auto shift = static_cast<std::uint32_t>(std::floor(before + kRounding));
  return (track.sectors - shift % track.sectors) % track.sectors;
}

std::uint32_t ToldPlaces::slips_before(const engine::Track& track, std::uint64_t slot) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(slipped_, slot) -
                                    std::ranges::lower_bound(slipped_, track.first_slot));
}

ToldPlace ToldPlaces::of_defect(std::uint64_t slot) const {
  const engine::Track track = map_.track_of_slot(slot);
  const auto within = static_cast<std::uint32_t>(slot - track.first_slot);
  ToldPlace place;
  place.cylinder = track.cylinder;
  place.head = track.head;
  place.sector = within;
  if (from_index_)
    place.sector = (within + track.sectors - first_after_index(track)) % track.sectors;
  const std::uint32_t track_bytes = track.sectors * drive_.block_bytes;
  place.bytes_from_index =
      static_cast<std::uint32_t>(
          engine::rev_from_angle(map_.angle_of_slot(track, slot)) * track_bytes + kByteRounding) %
      track_bytes;
  return place;
}

ToldPlace ToldPlaces::of_slot(std::uint64_t slot) const {
  ToldPlace place = of_defect(slot);
  place.sector -= slips_before(map_.track_of_slot(slot), slot);
  place.lbn = map_.lbn_of_slot(slot);
  if (place.lbn && *place.lbn >= drive_.blocks) place.lbn.reset();
  place.alternate = place.lbn && map_.is_remapped(*place.lbn);
  return place;
}

ToldPlace ToldPlaces::of_block(std::uint64_t lbn) const {
  return even_sectors_ > 0 ? even_place(lbn) : of_slot(map_.slot_of_lbn(lbn));
}

std::optional<std::uint64_t> ToldPlaces::slot_at(AddressFormat format, const engine::Track& track,
                                                 std::uint32_t within_track) const {
  if (format == AddressFormat::bytes_from_index) {
    const double track_bytes = static_cast<double>(track.sectors) * drive_.block_bytes;
    if (within_track >= track_bytes) return std::nullopt;
    // Sectors begin with parts of bytes, which were cut off.
    const double begin = engine::rev_from_angle(track.angle) * track_bytes + kByteRounding;
    const double bytes = within_track - std::floor(begin) + track_bytes;
    return track.first_slot +
           static_cast<std::uint64_t>(bytes / drive_.block_bytes) % track.sectors;
  }
  if (within_track >= track.sectors) return std::nullopt;
  if (from_index_)
    return track.first_slot + (within_track + first_after_index(track)) % track.sectors;
  // The slot that has so many numbered ones before it.
  std::uint64_t slot = track.first_slot + within_track;
  for (auto slip = std::ranges::lower_bound(slipped_, track.first_slot);
       slip != slipped_.end() && *slip <= slot; ++slip)
    ++slot;
  if (slot >= track.first_slot + track.sectors) return std::nullopt;
  return slot;
}

std::optional<ToldPlace> ToldPlaces::at(AddressFormat format, std::uint32_t cylinder,
                                        std::uint32_t head, std::uint32_t within_track) const {
  if (even_sectors_ > 0) {
    const std::uint64_t sector = format == AddressFormat::bytes_from_index
                                     ? within_track / drive_.block_bytes
                                     : within_track;
    if (cylinder >= drive_.cylinders || head >= drive_.heads || sector >= even_sectors_)
      return std::nullopt;
    return even_place((std::uint64_t{cylinder} * drive_.heads + head) * even_sectors_ + sector);
  }
  const auto track = map_.track_at(cylinder, head);
  if (!track) return std::nullopt;
  const auto slot = slot_at(format, *track, within_track);
  return slot ? std::optional<ToldPlace>(of_slot(*slot)) : std::nullopt;
}

}  // namespace platter::virtual_drive
