// Lines with checks, changed.
#pragma once

#include <sstream>
#include <string>

#include "model/checked_line.h"

namespace platter::testing {

// What stands in front of the checks.
inline std::string without_checks(const std::string& text) {
  std::istringstream lines(text);
  std::string objects;
  for (std::string line; std::getline(lines, line);) objects += model::without_check(line) + "\n";
  return objects;
}

// Lines that are objects with a member get a check each.
inline std::string with_checks(const std::string& objects) {
  std::istringstream lines(objects);
  std::string text;
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line);)
    text += model::checked_line(line.empty() ? "{}" : line, ++number) + "\n";
  return text;
}

}  // namespace platter::testing
