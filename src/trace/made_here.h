// By what a trace file that platter wrote is known again. DiskSim's formats and others have no room
// for a comment; all of their readers pass over blanks at the end of a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/format.h"

namespace platter::trace {

// A line for formats that have remarks.
constexpr std::string_view kRemarkOfPlatter = "# written by platter\n";

// Puts the mark at the end of the first line in formats of lines that do not name platter anyhow.
void mark_first_line(std::string& text, Format format);

// Whether the mark is at its end.
bool is_marked(std::string_view first_line);

// Whether the file, compressed or not, begins as platter's traces do. Never throws.
bool is_made_here(const std::string& path);

// The process that platter's blktrace files name in each event, where a kernel names its own.
constexpr std::uint32_t kBlktraceProcess = 0x74616c70;  // "plat"

// The bytes begin with an event of that process.
inline bool has_blktrace_process(std::string_view bytes) {
  constexpr std::size_t kAt = 32;
  return bytes.starts_with("\7tae") && bytes.substr(0, kAt + 4).ends_with("plat") &&
         bytes.size() >= kAt + 4;
}

}  // namespace platter::trace
