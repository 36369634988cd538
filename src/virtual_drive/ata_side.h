// The ATA drive behind a SCSI / ATA translation: ATA PASS-THROUGH (12) and (16), VPD page 89h
// (SAT-4), and what SET FEATURES keeps (ACS-4). Write cache and look-ahead are those of the caching
// page.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_drive/mode_pages.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

class AtaSide {
 public:
  AtaSide(const Personality& drive, ModePages& modes);

  Reply pass_through(const scsi::Command& command);
  std::vector<std::uint8_t> identify_device() const;   // 512 bytes
  std::vector<std::uint8_t> information_page() const;  // VPD page 89h without its header

  // Whether the drive leaves its active state on its own.
  bool becomes_idle() const;
  void restore_defaults();

 private:
  Reply set_features(std::uint8_t feature, std::uint8_t count);

  const Personality& drive_;
  ModePages& modes_;
  std::uint8_t power_level_ = 0;  // 0: power management is disabled
};

}  // namespace platter::virtual_drive
