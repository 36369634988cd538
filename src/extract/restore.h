// What an interrupted run left behind, put right from its safety journal.
#pragma once

#include <cstdint>

#include "extract/journal.h"
#include "scsi/device.h"

namespace platter::extract {

struct Restored {
  std::uint64_t intact = 0;     // journaled stretches of sectors that hold what they held
  std::uint64_t rewritten = 0;  // those that were torn and hold it again
  bool settings = false;        // the cache page was set to what it was
};

// Throws Error(refused) if the device is not the drive that the journal was written for, and
// Error(drive_error) where a sector can be neither read nor written.
Restored restore(scsi::Device& device, const JournalContents& journal);

}  // namespace platter::extract
