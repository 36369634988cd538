// A text wherever its lines are broken.
#pragma once

#include <sstream>
#include <string>

namespace platter::report {

inline std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace platter::report
