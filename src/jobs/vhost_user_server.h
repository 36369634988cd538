// Emulated drives as a vhost-user SCSI host, served by this process until somebody ends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/contents/contents_choice.h"
#include "jobs/emulated_drives.h"

namespace platter::jobs {

struct VhostUserServing {
  std::string socket{};                              // path; empty: one in a private folder
  std::vector<emulator::ContentsChoice> contents{};  // one for each drive; none: in memory
  std::optional<std::string> log{};
  int speed = 1;
  bool write_cache_loss = false;
  bool ordinary = false;
  bool json = false;
};

// Returns when SIGINT, SIGTERM or SIGHUP has asked for the end, and all is written; SIGUSR1 asks
// for a report meanwhile, SIGUSR2 for a power cut. Throws Error(bad_input) for a table, which does
// not tell what SCSI commands are answered from, Error(refused) for a socket that exists, and what
// ContentsFile throws.
void serve_over_vhost_user(const std::vector<EmulatedDrive>& drives,
                           const VhostUserServing& serving);

}  // namespace platter::jobs
