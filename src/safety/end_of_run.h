// The end of a run that may have written: its blocks are read back past the caches, then the
// journal goes.
#pragma once

#include <optional>
#include <string>

#include "safety/journal.h"
#include "safety/media_check.h"
#include "scsi/device.h"

namespace platter::safety {

struct EndOfRun {
  MediaCheck media;
  std::string trouble;    // what is wrong with the drive, or not known of it, and where the journal
                          // is; "": nothing
  std::string fact, why;  // the same in parts: what is wrong, and the error that it comes from
  // All is well with the drive, but the journal cannot be removed: why, and what to do.
  std::optional<std::string> journal_stays{};

  bool well() const { return trouble.empty(); }
};

// What of the journal's blocks differs or cannot be read is put back. Where the drive does not
// answer any more, or is another one by what it holds (media.is_another_drive), that is the
// trouble: nothing is thrown.
[[nodiscard]] EndOfRun check_written(scsi::Device& device, const model::Identity& identity,
                                     const Journal& journal, MediaCheckOptions options = {});

// The same, and the settings are put back where they are not as they were, but on no other drive.
// Where all is well the journal is removed; otherwise it stays for `platter restore`.
[[nodiscard]] EndOfRun end_run(scsi::Device& device, const model::Identity& identity,
                               Journal& journal);

}  // namespace platter::safety
