// What each format is called, how it is read and written, and how it is recognized. A row stands at
// the end of its format's own file; formats.inc is the list of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/line.h"
#include "trace/record.h"

namespace platter::trace {

// What a format is recognized by.
struct Beginning {
  explicit Beginning(Input& input);

  const std::string& name;  // of the file
  std::string_view head;    // its first bytes
  Line commas, blanks;      // the first line with something in it, cut in two ways
};

struct FormatRow {
  Format format = Format::detect;
  const char* name = "";
  // Of one file, but for a blktrace. The unit of times is set in `reading`, if unit_ns is.
  std::unique_ptr<RecordReader> (*reader)(std::vector<Input> inputs, const Reading& reading);
  std::unique_ptr<RecordWriter> (*writer)(std::uint32_t block_bytes) = nullptr;
  bool (*begins)(const Beginning& beginning) = nullptr;  // none: its name has to be given
  Nanoseconds unit_ns = 0;        // of its times, where files do not say it; 0: they do
  bool doubted = true;            // tools write this format in other units, too
  Nanoseconds slow_ns = kSecond;  // a median of whole units above it is doubted (time_doubt.h)
  bool (*names_unit)(Input& input) = nullptr;  // whether a file is known to have unit_ns
  bool binary = false;                         // not text
  bool each_measured = false;                  // every record has a field for its service time
  bool names_platter = false;  // what platter writes has its name in the first line or record
  bool writes_csv = false;     // commas between the fields of what is written
};

#define PLATTER_FORMAT(name, row) extern const FormatRow row;
#include "trace/formats.inc"
#undef PLATTER_FORMAT

// All of them, in the order in which they are tried on a file.
std::span<const FormatRow* const> format_rows();
// nullptr: of Format::detect.
const FormatRow* row_of(Format format);

// The format that the first bytes tell; detect: there are none. Throws Error(bad_input) where they
// do not tell it.
Format detected(Input& input);

}  // namespace platter::trace
