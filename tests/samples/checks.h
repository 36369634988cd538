// Lines with checks, changed.
#pragma once

#include <array>
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

// For attacks: as it is; and as if its lines had been written so, else none would pass its check.
inline std::array<std::string, 2> as_it_is_and_checked(const std::string& text) {
  return {text, with_checks(without_checks(text))};
}

}  // namespace platter::testing
