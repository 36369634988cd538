// Who a drive is, made of all evidence: named by the disk where that could be asked, with the
// bridge beside it, by a number only where a number tells drives apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "identity/evidence.h"
#include "model/drive_model.h"

namespace platter::identity {

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
