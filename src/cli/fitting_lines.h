// Lines for a terminal of so many columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace platter::cli {

// What COLUMNS in the environment says; 0 where it is no number of columns.
std::size_t width_in_environment();
// Columns of the terminal behind this descriptor; without one those in the environment, or 80.
std::size_t columns_of(int descriptor);

// `line`, which has no line feed, on as many lines as it needs, each with one. It is broken at
// blanks, in front of no option; what follows is indented to its second field. A word that is
// longer stays whole. A byte that goes on a character of UTF-8 takes no column.
std::string fitting_lines(std::string_view line, std::size_t columns);

}  // namespace platter::cli
