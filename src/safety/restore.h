// What an interrupted run left behind, put right from its safety journal.
#pragma once

#include "safety/left_journals.h"
#include "safety/media_check.h"
#include "scsi/device.h"

namespace platter::safety {

struct RestoreOptions {
  // Blocks that can be read and hold something else are put back, too. Without it they are left
  // alone: a run rewrites blocks with what they hold, so their owner has changed them since.
  bool overwrite = false;
  // Somebody said that this is the drive, of which its serial number cannot tell.
  bool is_the_drive = false;
};

struct Restored {
  MediaCheck media;
  bool settings = false;  // mode pages and ATA features are what they are in the journal
};

// Each setting that the drive does not show as it was. False: it does not take one of them.
bool put_settings_back(scsi::Drive& drive, const SavedSettings& settings);

// Throws Error(refused), before anything is read or written, if the device is not the drive that
// the journal was written for, or if drive or journal have no serial number and nobody said that it
// is; and before anything is written or set, if what the device holds speaks against it, which
// nothing overrides.
Restored restore(scsi::Device& device, const JournalContents& journal,
                 const RestoreOptions& options = {});

// The same, and the journal goes. Throws Error(drive_error), which says what is left to do, where
// not all is as it was, or lines of the journal are damaged, and Error(output) where the journal
// cannot be removed; then it stays.
Restored put_right(scsi::Device& device, const LeftJournal& left,
                   const RestoreOptions& options = {});

}  // namespace platter::safety
