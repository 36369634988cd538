// Places that a drive gives in bytes from the index, as sectors numbered from the index. The pitch
// from one sector to the next is learned from neighbouring blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scsi/drive.h"

namespace platter::layout {

class ByteTranslation {
 public:
  ByteTranslation(scsi::Drive& drive, std::string name);

  // A sector's number: the whole pitches from the index to its start. The first use learns the
  // pitch; Error(unsupported) where it differs from place to place.
  scsi::PhysicalAddress in_sectors(const scsi::PhysicalAddress& bytes);
  // The last byte of the pitch in which the sector with that number begins: it belongs to it.
  scsi::PhysicalAddress in_bytes(const scsi::PhysicalAddress& sectors);

 private:
  double pitch();
  std::optional<double> pitch_near(std::uint64_t lbn);

  scsi::Drive& drive_;
  std::string name_;
  double pitch_ = 0;  // bytes; 0: not known yet
};

}  // namespace platter::layout
