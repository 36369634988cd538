// nbdkit as a child process that serves emulated drives until somebody ends it.
#pragma once

#include <vector>

#include "jobs/block_drives.h"

namespace platter::jobs {

// Returns when SIGINT, SIGTERM or SIGHUP has asked for the end, and all is written; SIGUSR1 asks
// for a report meanwhile, SIGUSR2 for a power cut. Throws Error(missing_program) without nbdkit or
// its plugin, Error(refused) for a socket that exists, and what ContentsFile throws.
void serve_over_nbd(const std::vector<EmulatedDrive>& drives, const BlockServing& serving);

}  // namespace platter::jobs
