// A command run by a real kernel against models as drives, in simulated time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/contents/contents_choice.h"
#include "jobs/outputs.h"
#include "jobs/progress.h"

namespace platter::jobs {

struct Cosimulation {
  std::vector<std::string> command{};                // with its arguments
  std::vector<std::string> models{}, shares{};       // shares: folders that the command may write
  std::vector<emulator::ContentsChoice> contents{};  // one for each drive; none: in memory
  std::vector<std::string> episodes{};               // files; none, one for all, or one for each
  std::string log{}, report{};                       // files; "": none, and the report is said
  std::string kernel{};                              // "": ours, built once
  std::string date{};                                // YYYY-MM-DD; "": the coming midnight, UTC
  std::uint64_t seed = 1;
  unsigned memory_mb = 512;
  int speed = 1;
  double cpu_factor = 0;
  std::uint64_t call_ns = 500;  // what a system call of the command takes
  double patience_s = 10;       // without a system call; then time passes as on the host
  bool is_strict = false;       // then the run ends
  std::optional<double> power_cut_s{};
  bool write_cache_loss = false;
  Outputs outputs;
};

// Throws Error(missing_program) for what is no program of this host.
void require_command(const std::string& command);

// The path of the kernel; where it is ours, built by then. Throws Error(bad_input) for what is
// none.
std::string guest_kernel_of(const Cosimulation& run, Progress& progress);

// The command's exit status, or 128 and the signal that ended it; 0 where the power went first.
int cosimulate(const Cosimulation& run, Progress& progress);

}  // namespace platter::jobs
