// The check of a scheduler's name on the command line.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "replay/replay_model.h"

namespace platter::cli {

inline CLI::Validator scheduler_name() {
  const auto check = [](std::string& text) -> std::string {
    if (replay::scheduler_of(text)) return {};
    return fmt::format("{} is none of fcfs, sstf, look, c-look, sptf", text);
  };
  return CLI::Validator(check, "fcfs, sstf, look, c-look or sptf");
}

}  // namespace platter::cli
