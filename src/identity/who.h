// Who a drive is, made of all evidence: named by the disk where that could be asked, with the
// bridge beside it, by a number only where a number tells drives apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::identity {

// What tells who a drive is: the SCSI side's own words, and those of the ATA disk that stands
// behind a translation or a bridge. Plain values, as they came; nothing is made of them here.

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

// Whether what ATA PASS-THROUGH reaches is the disk whose blocks the SCSI side reads.
enum class Reached : std::uint8_t {
  nothing,     // no ATA disk answers
  this_disk,   // a number, a name of the world, or all that could contradict says so
  other_disk,  // it contradicts: another size, another number
  not_known,   // the bridge has a number of its own, and nothing says whose disk it is
};

enum class Sureness : std::uint8_t {
  own_number,   // the disk's serial number, by IDENTIFY DEVICE, or by two witnesses that agree
  told_number,  // by VPD page 80h alone
  no_number,    // drives of its kind cannot be told apart
};

struct Who {
  // vendor, product, revision, serial, serial_by, name and bridge; the rest is as it was given.
  model::Identity identity;
  Reached reached = Reached::nothing;
  Sureness sureness = Sureness::no_number;
  std::vector<std::string> doubts;  // a sentence each, for a person
};

Who who_is(const Evidence& evidence, model::Identity given = {});

// Whether a name, of six letters and more, is the beginning of a model's; capitals do not matter.
bool begins_alike(const std::string& model, const std::string& name);

// ATA settings may be changed, and what IDENTIFY DEVICE says counts, of this disk alone.
inline bool is_this_disk(const Who& who) { return who.reached == Reached::this_disk; }

}  // namespace platter::identity
