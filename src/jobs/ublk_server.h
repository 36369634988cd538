// Emulated drives as block devices of this kernel, until somebody ends them.
#pragma once

#include <vector>

#include "jobs/block_drives.h"

namespace platter::jobs {

// Throws Error(missing_program) where this kernel has no ublk, or not for this process.
void require_ublk();

// As serve_over_nbd(), without nbdkit.
void serve_over_ublk(const std::vector<EmulatedDrive>& drives, const BlockServing& serving);

}  // namespace platter::jobs
