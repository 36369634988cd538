// A replay on a drive as a user runs it: journaled, with its progress shown, ended in
// order by a signal, and what it wrote looked after in any case.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "jobs/progress.h"
#include "replay/replay_drive.h"
#include "safety/journal.h"

namespace platter::jobs {

class CarefulReplay {
 public:
  CarefulReplay(scsi::Device& device, std::string name, Progress& progress);
  // The journal and progress for this replay's options; valid as long as this object.
  replay::DriveReplay options(const std::string& stage);
  // Runs the replays, and, however they end, reads back what they wrote and puts it back where it
  // must be. Then nothing is left to restore, or an Error says what is, and that the journal is
  // kept.
  void run(const std::function<void()>& replays);
  // All is well with the drive, but the journal cannot be removed: why, and what to do.
  const std::optional<std::string>& journal_stays() const { return journal_stays_; }

 private:
  // What is wrong with the drive now; "" where nothing is.
  [[nodiscard]] std::string looked_after();

  scsi::Device& device_;
  std::string name_;
  Progress& progress_;
  model::Identity identity_;
  std::unique_ptr<safety::Journal> journal_;
  std::optional<std::string> journal_stays_{};
};

// Once all results are written: Error(output) where a journal stays.
void require_journal_gone(const std::optional<std::string>& journal_stays);

}  // namespace platter::jobs
