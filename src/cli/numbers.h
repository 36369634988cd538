// Checks of numbers on the command line whose messages are sentences.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace platter::cli {

inline CLI::Validator at_least(int least) {
  const auto check = [least](std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(number >= least))
      return fmt::format("{} is no number from {} on", text.empty() ? "nothing" : text, least);
    return {};
  };
  return CLI::Validator(check, fmt::format(">= {}", least));
}

}  // namespace platter::cli
