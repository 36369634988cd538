// By what a trace file that platter wrote is known again. DiskSim's formats and others have no room
// for a comment; all of their readers pass over blanks at the end of a line.
#pragma once

#include <string>

#include "trace/format.h"

namespace platter::trace {

// Puts the mark at the end of the first line in formats of lines that do not name platter anyhow.
void mark_first_line(std::string& text, Format format);

// Whether the file, compressed or not, begins as platter's traces do. Never throws.
bool is_made_here(const std::string& path);

}  // namespace platter::trace
