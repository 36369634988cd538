// Options that take one of a few words; help and errors name the words.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "emit/disksim/rules.h"
#include "replay/replay_model.h"

namespace platter::cli {

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
