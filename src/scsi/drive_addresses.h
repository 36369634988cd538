// Where blocks lie by the drive's own word: address translation (SBC-2, page 40h of RECEIVE
// DIAGNOSTIC RESULTS), in the formats that the drive was found to take, and the lists of defects.
#pragma once

#include <cstdint>
#include <optional>

#include "scsi/replies.h"

namespace platter::scsi {

class DriveLink;

class DriveAddresses {
 public:
  explicit DriveAddresses(DriveLink& link) : link_(link) {}

  // Address translation (page 40h), in the formats that the drive was found to take: blocks short
  // or long, places as physical sectors or, where it knows none, as bytes from the index (see
  // Translation::format). nullopt: the drive does not answer (illegal request); other failures
  // throw.
  std::optional<Translation> translate(std::uint64_t lbn);
  bool translates();  // asks for LBN 0, if nothing was asked yet
  // `place` in the format of translate()'s answers. nullopt also where there is no such place.
  std::optional<PlaceContent> translate_back(const PhysicalAddress& place);
  // From bytes from the index to the physical sector.
  std::optional<PhysicalAddress> sector_at(const PhysicalAddress& bytes_from_index);
  // Where a block lies in bytes from the index, whatever the format of translate()'s answers.
  std::optional<PhysicalAddress> bytes_from_index(std::uint64_t lbn);
  // READ DEFECT DATA (10) or (12): in the format of translate()'s answers if the drive has the list
  // so, else in the other one (see DefectList::format).
  std::optional<DefectList> defects(bool primary, bool grown);

 private:
  DriveLink& link_;
};

}  // namespace platter::scsi
