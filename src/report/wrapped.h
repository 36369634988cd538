// Lines for a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace platter::report {

constexpr std::size_t kColumns = 80;

// `line` with its line feed, broken at blanks where it is longer; what follows is indented. A word
// that is longer stays whole.
std::string wrapped(const std::string& line, std::size_t indent, std::size_t columns = kColumns);

}  // namespace platter::report
