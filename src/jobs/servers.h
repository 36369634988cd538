// Servers of emulated drives, until somebody ends them: a vhost-user SCSI host and block devices of
// this kernel, by this process; nbdkit, as its child.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/contents/contents_choice.h"
#include "engine/request.h"
#include "jobs/emulated_drives.h"

namespace platter::jobs {

struct Serving {
  std::string socket{};                              // path; empty: one in a private folder
  std::vector<emulator::ContentsChoice> contents{};  // one for each drive; none: in memory
  bool write_cache_loss = false;
  std::optional<std::string> log{};
  int speed = 1;
  std::optional<engine::Scheduler> scheduler{};  // this and the next: of what serves blocks
  std::optional<std::uint32_t> depth{};
  bool ordinary = false;
  bool json = false;
};

// Returns when SIGINT, SIGTERM or SIGHUP has asked for the end, and all is written; SIGUSR1 asks
// for a report meanwhile, SIGUSR2 for a power cut. Throws Error(bad_input) for a table, which does
// not tell what SCSI commands are answered from, Error(refused) for a socket that exists, and what
// ContentsFile throws.
void serve_over_vhost_user(const std::vector<EmulatedDrive>& drives, const Serving& serving);

// Throws Error(missing_program) where this kernel has no ublk, or not for this process.
void require_ublk();

// As serve_over_nbd(), without nbdkit.
void serve_over_ublk(const std::vector<EmulatedDrive>& drives, const Serving& serving);

// Returns when SIGINT, SIGTERM or SIGHUP has asked for the end, and all is written; SIGUSR1 asks
// for a report meanwhile, SIGUSR2 for a power cut. Throws Error(missing_program) without nbdkit or
// its plugin, Error(refused) for a socket that exists, and what ContentsFile throws.
void serve_over_nbd(const std::vector<EmulatedDrive>& drives, const Serving& serving);

}  // namespace platter::jobs
