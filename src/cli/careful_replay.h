// A replay on a drive as the command line runs it: journaled, with a progress bar, ended in order by
// a signal.
#pragma once

#include <memory>
#include <string>

#include "cli/progress.h"
#include "extract/journal.h"
#include "replay/replay_drive.h"

namespace platter::cli {

class CarefulReplay {
 public:
  explicit CarefulReplay(std::string device);
  // The journal and progress for this replay's options; valid as long as this object.
  replay::DriveReplay options(const std::string& stage);
  // All went well and the settings are restored: nothing is left to restore.
  void finish();

 private:
  std::string device_;
  ProgressBar progress_;
  std::unique_ptr<extract::Journal> journal_;
};

}  // namespace platter::cli
