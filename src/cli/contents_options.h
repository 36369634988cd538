// --contents and what goes with it, of the commands whose drives hold something.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "emulator/contents/contents_choice.h"

namespace platter::cli {

class ContentsOptions {
 public:
  void add_to(CLI::App& command);
  // All of them.
  const std::vector<CLI::Option*>& options() const { return options_; }
  // One for each drive, or none. Throws Error(usage).
  std::vector<emulator::ContentsChoice> choices(std::size_t drives) const;

 private:
  std::vector<std::string> texts_{};
  emulator::ContentsChoice generated_{};  // what is asked of those that are
  std::vector<CLI::Option*> options_{}, of_generated_{};
};

}  // namespace platter::cli
