// Places as the drive tells them: in page 40h and in its defect lists. How sectors are numbered
// within a track is the firmware's affair, and so is whether it tells the truth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/layout_map.h"
#include "scsi/commands.h"
#include "virtual_drive/personality.h"

namespace platter::virtual_drive {

using scsi::AddressFormat;

// The format's name in firmware.address_formats and firmware.defect_formats.
const char* name_of(AddressFormat format);
constexpr bool is_place(AddressFormat format) {
  return format == AddressFormat::bytes_from_index || format == AddressFormat::physical_sector;
}

struct ToldPlace {
  std::uint32_t cylinder = 0, head = 0;
  std::uint32_t sector = 0;            // the drive's number
  std::uint32_t bytes_from_index = 0;  // from angle 0 to where the sector begins
  std::optional<std::uint64_t> lbn;    // the block that is there
  bool alternate = false;              // it is not where it would be in sequence

  std::uint32_t within_track(AddressFormat format) const {
    return format == AddressFormat::bytes_from_index ? bytes_from_index : sector;
  }
};

class ToldPlaces {
 public:
  ToldPlaces(const Personality& drive, const engine::LayoutMap& map);

  ToldPlace of_block(std::uint64_t lbn) const;  // lbn < the drive's blocks
  // nullopt: there is no such place. With bytes from index: the sector that they lie in.
  std::optional<ToldPlace> at(AddressFormat format, std::uint32_t cylinder, std::uint32_t head,
                              std::uint32_t within_track) const;
  // As the defect lists name a sector: a slipped one has its number there even if page 40h counts
  // without it.
  ToldPlace of_defect(std::uint64_t slot) const;

 private:
  ToldPlace of_slot(std::uint64_t slot) const;
  std::optional<std::uint64_t> slot_at(AddressFormat format, const engine::Track& track,
                                       std::uint32_t within_track) const;
  std::uint32_t first_after_index(const engine::Track& track) const;
  std::uint32_t slips_before(const engine::Track& track, std::uint64_t slot) const;
  ToldPlace even_place(std::uint64_t lbn) const;

  const Personality& drive_;
  const engine::LayoutMap& map_;
  bool from_index_ = false;
  std::vector<std::uint64_t> slipped_;  // slots without a number, ascending
  std::uint64_t even_sectors_ = 0;  // of each track, where the drive tells an even geometry; or 0
};

}  // namespace platter::virtual_drive
