// What a person should do about what a drive answered, what of the drive that is about, and the
// exit status of a run that ends with it: a table over sense key and additional sense code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/error.h"
#include "scsi/device.h"
#include "scsi/sense.h"

namespace platter::scsi {

enum class Affects : std::uint8_t {
  these_blocks,  // others may do
  this_command,  // another form of it may do
  this_try,      // another time may do
  whole_drive,   // no other place will do, before somebody has seen to it
};

// One row. Codes are ASC and ASCQ as one number, 3100h for 31/00.
struct AdviceRow {
  std::uint16_t keys;  // bit 3: sense key 3
  std::uint16_t first, last;
  Affects affects;
  std::string_view text;  // the end of a sentence: "leave these blocks out"
  bool locked = false;    // the drive keeps its blocks to those who have a key

  constexpr bool is_of(SenseKey key, std::uint8_t asc, std::uint8_t ascq) const {
    const unsigned code = asc * 0x100u + ascq;
    return (keys >> static_cast<unsigned>(key) & 1) != 0 && first <= code && code <= last;
  }
};

// The first row that is of a sense is the one: narrow codes stand before wide ones, one sense key
// before all of them. The last rows are of whole sense keys, so that every sense has one. Codes are
// those of T10's list (SPC-5, annex of additional sense codes).
std::span<const AdviceRow> advice_rows();

struct Advice {
  std::string_view text;
  Affects affects;
  ExitStatus status;
};

// On a command that did not succeed. A deferred error is of blocks that another command named.
Advice advice_on(const std::optional<Sense>& sense, Status status);

}  // namespace platter::scsi
