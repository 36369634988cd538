// Which columns a text trace has, in what units and how written, in one notation for command lines,
// for the published collections, and for what is read by its header: "time:us,op,offset:bytes,...".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.h"
#include "trace/record.h"

namespace platter::trace {

struct Column {
  enum class Role : std::uint8_t {
    ignored,
    rest,  // any number of fields
    time,
    response,
    operation,
    offset,
    size,
    device,
    read,  // of an expression's groups alone: the one that is there says what the operation is
    write,
  };
  Role role = Role::ignored;
  Nanoseconds unit_ns = 0;       // times
  std::uint32_t unit_bytes = 0;  // offset, size; 0: blocks of the device
  // operation: '0' or '1' is a read; 's': opcodes of SCSI in hexadecimal; 0: it is said in words
  char code = 0;
  bool hexadecimal = false;  // numbers are, also without 0x
  bool operator==(const Column&) const = default;
};

// How numbers are written.
struct NumberStyle {
  char decimal = '.';
  bool thousands = false;  // with points, commas, blanks or apostrophes between thousands
  bool plain() const { return decimal == '.' && !thousands; }
};

// Any may be the one of a file; blanks come last, since all text has them.
inline constexpr char kTriedSeparators[] = {',', ';', '\t', '|', ' '};

struct Columns {
  std::vector<Column> list{};
  bool in_bytes = true;  // false: offset and size are in blocks
  NumberStyle style{};
  std::map<std::string, char, std::less<>> words{};  // of operations: 'R', 'W' or 'X'
  char separator = 0;                                // 0: as the first line that fits tells
  std::uint64_t from = 0;  // the line of the first request; 0: the first that fits
};

// Names between commas: time, response, op, offset, size, device, and - for a column of no use; ...
// once, for any number of them. Units behind a colon: of times s, ms, us, ns, filetime (100 ns); of
// offset and size bytes, sectors (512 bytes), kb (1024), blocks; of op 0r1w or 1r0w where it is a
// digit, scsi where it is an opcode. Several columns `device` together name it, with colons
// between. `hex` behind offset, size, device or time: hexadecimal. Words of operations are
// op:RD=R,WR_IN=W. Of the whole file: decimal=comma, thousands, hex, from=LINE, separator=comma,
// semicolon, tab, blank or bar. Throws Error(usage) that says what is missing or unknown.
Columns columns_of(std::string_view text);
// Adds the column that a group's name in an expression tells: "time_us", "offset_sectors_hex",
// "op", "read", "time_s_decimal_comma".
void add_group(Columns& columns, std::string name);

// Throws Error(usage) where columns are missing or named twice; sets in_bytes.
void require_whole(Columns& columns);

// The reader of what has such columns, and of lines that an expression finds.
std::unique_ptr<RecordReader> columns_reader(Input input, const Columns& columns);
std::unique_ptr<RecordReader> regex_reader(Input input, const std::string& expression);

// Whether so many of the lines fit from the first that does to the last: what a guess is tried by.
struct FittingLines {
  std::uint64_t first = 0, fit = 0, others = 0;  // first: its number, from 1
};
FittingLines lines_that_fit(std::string_view head, const Input& input, const Columns& columns);

}  // namespace platter::trace
