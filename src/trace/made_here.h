// By what a trace file that platter wrote is known again. DiskSim's formats and others have no room
// for a comment; all of their readers pass over blanks at the end of a line.
#pragma once

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

}  // namespace platter::trace
