// Numbers as people type them: 1000, 1e3, 10k, 5s, 1.5h, 67%, 4K. Each of these is a transform: the
// option gets the plain number in its own unit, or the user a sentence.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "emit/disksim/rules.h"
#include "replay/replay_model.h"

namespace platter::cli {

// A number, whole where the option is: also 1e3, 10k, 2M, 1G (thousands, millions, milliards).
CLI::Validator at_least(double least);
CLI::Validator between(double least, double most);

// 0 to 2^64 - 1, exact: blocks, seeds.
CLI::Validator whole_number();

// Seconds, or with a unit: 300ms, 90s, 5m or 5min, 1.5h, 2d.
CLI::Validator seconds(double least, double most);
// The same in milliseconds where no unit is given.
CLI::Validator milliseconds(double least);

// 0 to 1, or 0 to 100 with a percent sign.
CLI::Validator share();

// KiB, or with a unit: 512B, 4K, 1M.
CLI::Validator kibibytes(double least);

// Options that take one of a few words; help and errors name the words.
// Of an enumeration.
template <typename Enum>
CLI::Validator one_of(const std::map<std::string, Enum>& words) {
  std::string set;
  for (const auto& [word, value] : words) set += (set.empty() ? "{" : ",") + word;
  set += "}";
  return CLI::Validator(
      [&words, set](std::string& input) {
        const auto found = words.find(input);
        if (found == words.end()) return input + " not in " + set;
        input = std::to_string(static_cast<int>(found->second));
        return std::string();
      },
      set);
}

// DiskSim's programs.
inline const std::map<std::string, emit_disksim::Program>& emit_disksim_programs() {
  static const std::map<std::string, emit_disksim::Program> kPrograms{
      {"cmu4", emit_disksim::Program::cmu4},
      {"wd", emit_disksim::Program::wd},
      {"wd64", emit_disksim::Program::wd64}};
  return kPrograms;
}

inline CLI::Validator scheduler_name() {
  const auto check = [](std::string& text) -> std::string {
    if (replay::scheduler_of(text)) return {};
    return fmt::format("{} is none of fcfs, sstf, look, c-look, sptf", text);
  };
  return CLI::Validator(check, "fcfs, sstf, look, c-look or sptf");
}

}  // namespace platter::cli
