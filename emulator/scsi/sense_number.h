// What a completion's sense data say, as one number.
#pragma once

#include <cstdint>

#include "scsi/device.h"
#include "scsi/sense.h"

namespace platter::emulator {

// Sense key, code and qualifier: 0x052400 is 5/24/00. 0: there are none.
inline std::uint32_t sense_number(const scsi::Completion& completion) {
  const auto sense = scsi::decode_sense(completion.sense);
  if (!sense) return 0;
  return static_cast<std::uint32_t>(sense->key) << 16 | std::uint32_t{sense->asc} << 8 |
         sense->ascq;
}

}  // namespace platter::emulator
