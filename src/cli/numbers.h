// Checks of numbers on the command line whose messages are sentences.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

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

inline CLI::Validator between(double least, double most) {
  const auto check = [=](std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(number >= least && number <= most))
      return fmt::format("{} is no number from {} to {}", text.empty() ? "nothing" : text, least,
                         most);
    return {};
  };
  return CLI::Validator(check, fmt::format("{} to {}", least, most));
}

// The command line library takes what is too large for the largest number there is.
inline CLI::Validator seed_number() {
  const auto check = [](std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && at == end && !text.empty()) return {};
    return fmt::format("{} is no whole number from 0 to 2^64 - 1", text.empty() ? "nothing" : text);
  };
  return CLI::Validator(check, "0 to 2^64 - 1");
}

}  // namespace platter::cli
