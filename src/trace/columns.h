// Which columns a text trace has, in what units, in one notation for command lines and for the
// published collections: "time:us,op,offset:bytes,size:bytes,device".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/units.h"
#include "trace/format.h"

namespace platter::trace {

struct Column {
  enum class Role : std::uint8_t { ignored, time, response, operation, offset, size, device };
  Role role = Role::ignored;
  Nanoseconds unit_ns = 0;       // times
  std::uint32_t unit_bytes = 0;  // offset, size; 0: blocks of the device
  // operation: '0' or '1' is a read; 's': opcodes of SCSI in hexadecimal; 0: it is said in words
  char code = 0;
  bool operator==(const Column&) const = default;
};

struct Columns {
  std::vector<Column> list{};
  bool in_bytes = true;  // false: offset and size are in blocks
};

// Names between commas: time, response, op, offset, size, device, and - for a column of no use.
// Units behind a colon: of times s, ms, us, ns, filetime (100 ns); of offset and size bytes,
// sectors (512 bytes), kb (1024), blocks; of op 0r1w or 1r0w where it is a digit,
// scsi where it is an opcode. Several columns
// `device` together name it, with colons between. Throws Error(usage) that says what is missing or
// unknown.
Columns columns_of(std::string_view text);

// Those of a published collection, as its owners describe it (docs/traces.md); empty: none.
std::string_view published_columns(Format format);

}  // namespace platter::trace
