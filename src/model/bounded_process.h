// A program that nobody vouches for, or that may never end, run to its end in a folder of its own:
// in bounds of time, memory and what it writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace platter::model {

struct Bounds {
  unsigned processor_s = 60, wall_s = 600;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  // of addresses
  std::uint64_t folder_bytes = std::uint64_t{256} << 20;
};

// Runs `words` (the program by its path) in `folder`, without input; what it says goes to the files
// `output` and `errors`. It leads a process group, which is ended with it, and nothing of it
// outlives platter. Nothing: it ended with status 0; else how it ended otherwise, as the end of a
// sentence ("took more than 60 s of processor time"). Throws Error(interrupted) where somebody asks
// to stop meanwhile.
std::optional<std::string> run_bounded(const std::vector<std::string>& words,
                                       const std::string& folder, const std::string& output,
                                       const std::string& errors, const Bounds& bounds = {});

}  // namespace platter::model
