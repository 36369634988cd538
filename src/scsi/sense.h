// Sense data, fixed and descriptor format (SPC-4, sense data), read through libsgutils2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scsi/replies.h"

namespace platter::scsi {

enum class SenseKey : std::uint8_t {
  no_sense = 0x0,
  recovered_error = 0x1,
  not_ready = 0x2,
  medium_error = 0x3,
  hardware_error = 0x4,
  illegal_request = 0x5,
  unit_attention = 0x6,
  data_protect = 0x7,
  blank_check = 0x8,
  vendor_specific = 0x9,
  copy_aborted = 0xA,
  aborted_command = 0xB,
  volume_overflow = 0xD,
  miscompare = 0xE,
  completed = 0xF,
};

struct Sense {
  SenseKey key = SenseKey::no_sense;
  std::uint8_t asc = 0, ascq = 0;
  bool deferred = false;  // of an earlier command, e.g. of a write from the cache
  std::optional<std::uint64_t> information;  // usually the LBN of the error

  bool is(SenseKey k, std::uint8_t code) const { return key == k && asc == code; }
  // Of a unit attention: power on or reset (29h), medium may have changed (28h), target operating
  // conditions have changed (3Fh). Another drive may stand there by now.
  bool may_mean_another_drive() const { return asc == 0x28 || asc == 0x29 || asc == 0x3F; }
  // What was written is not on the media: of the medium, or a write fault (03h) or error (0Ch).
  bool is_of_writes() const { return key == SenseKey::medium_error || asc == 0x03 || asc == 0x0C; }
  std::string text() const;  // "Medium Error: Unrecovered read error [3/11/00]"
};

// nullopt: these bytes are no sense data (or there are none).
std::optional<Sense> decode_sense(Bytes sense);

}  // namespace platter::scsi
