// nbdkit as a child process that serves emulated drives until somebody ends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/contents/contents_choice.h"
#include "engine/request.h"
#include "jobs/emulated_drives.h"

namespace platter::jobs {

struct NbdServing {
  std::string socket{};                              // path; empty: one in a private folder
  std::vector<emulator::ContentsChoice> contents{};  // one for each drive; none: in memory
  bool write_cache_loss = false;
  std::optional<std::string> log{};
  int speed = 1;
  std::optional<engine::Scheduler> scheduler{};
  std::optional<std::uint32_t> depth{};
  bool ordinary = false;
  bool json = false;
};

// Returns when SIGINT, SIGTERM or SIGHUP has asked for the end, and all is written; SIGUSR1 asks
// for a report meanwhile, SIGUSR2 for a power cut. Throws Error(missing_program) without nbdkit or
// its plugin, Error(refused) for a socket that exists, and what ContentsFile throws.
void serve_over_nbd(const std::vector<EmulatedDrive>& drives, const NbdServing& serving);

}  // namespace platter::jobs
