// What an interrupted run left behind, put right from its safety journal.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/journal.h"
#include "scsi/device.h"

namespace platter::extract {

struct Restored {
  std::uint64_t intact = 0;     // journaled stretches of sectors that hold what they held
  std::uint64_t rewritten = 0;  // those that could not be read and hold it again
  // Those that can be read and hold something else. A run rewrites blocks with what they hold, so
  // their owner has changed them since; they are left alone unless `overwrite` is asked for.
  std::vector<std::uint64_t> changed;
  bool settings = false;        // mode pages and ATA features are what they are in the journal
};

// Throws Error(refused) if the device is not the drive that the journal was written for, and
// Error(drive_error) where a sector can be neither read nor written.
Restored restore(scsi::Device& device, const JournalContents& journal, bool overwrite = false);

}  // namespace platter::extract
