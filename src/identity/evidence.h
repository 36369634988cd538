// What tells who a drive is: the SCSI side's own words, and those of the ATA disk that stands
// behind a translation or a bridge. Plain values, as they came; nothing is made of them here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace platter::identity {

// IDENTIFY DEVICE data (ACS-4), of the disk that answered them.
struct AtaDisk {
  std::string model, serial, firmware;
  std::string world_wide_name;  // 16 hexadecimal digits; empty: it tells none
  std::uint64_t bytes = 0;      // of all its sectors; 0: it does not say
};

struct Evidence {
  // Standard INQUIRY data: of the disk, or of the bridge in front of it.
  std::string vendor, product, revision;
  std::string serial;                    // VPD page 80h; empty: there is none
  std::vector<std::string> designators;  // VPD page 83h, of the logical unit
  std::uint64_t bytes = 0;               // by READ CAPACITY
  bool is_translated = false;            // VPD page 89h, ATA Information, is there
  std::optional<AtaDisk> page_89h;       // the disk of it, where the translation names one
  std::optional<AtaDisk> pass_through;   // what ATA PASS-THROUGH reaches
};

}  // namespace platter::identity
