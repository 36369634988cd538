// What a run wrote, and the drive put in order behind it: the safety journal, what was written read
// back, the settings put back. Whoever begins it must take it to its end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extract/options.h"
#include "extract/run_settings.h"
#include "model/drive_model.h"
#include "model/error.h"
#include "model/finding_kinds.h"
#include "safety/end_of_run.h"
#include "safety/journal.h"
#include "scsi/drive.h"
#include "scsi/guard.h"

namespace platter::extract {

class WhatWasWritten {
 public:
  using Note = std::function<void(model::Noted)>;  // for the reader of the model

  WhatWasWritten(const Options& options, scsi::Device& device, const scsi::Guard& guard,
                 scsi::Drive& drive, RunSettings& settings, Note note)
      : options_(options),
        device_(device),
        guard_(guard),
        drive_(drive),
        settings_(settings),
        note_(std::move(note)) {}

  // From now on every write is in the journal before it is made.
  void begin(const model::Identity& identity, const safety::SavedSettings& settings);
  // Reads that reading back would take now; nullopt: nothing was begun.
  std::optional<std::size_t> reads_of_check() const;
  safety::EndOfRun check();

  // What was written must be on the media before the only other copy of it goes.
  void put_in_order();
  // A run that ends early, for `cause`, puts the drive in order, too. Where the drive does not
  // answer any more, the journal stays for `platter restore`: what to do then.
  [[nodiscard]] std::optional<std::string> give_up(const std::string& cause);

  bool is_another_drive() const { return another_drive_; }  // by what it holds of what was written
  // As Run has them.
  const std::optional<std::string>& not_restored() const { return not_restored_; }
  const std::optional<std::string>& not_verified() const { return not_verified_; }
  const std::optional<std::string>& journal_stays() const { return journal_stays_; }

 private:
  safety::MediaCheckOptions how_to_check() const;
  // What of it the drive does not hold at the end.
  std::optional<safety::EndOfRun> look_after();
  std::string advice_of(const std::optional<safety::EndOfRun>& blocks, const Error* settings) const;

  const Options& options_;
  scsi::Device& device_;
  const scsi::Guard& guard_;
  scsi::Drive& drive_;
  RunSettings& settings_;
  Note note_;
  model::Identity identity_;
  std::optional<safety::Journal> journal_;
  std::optional<std::string> not_restored_, not_verified_, journal_stays_;
  std::string cause_;  // of an early end
  bool another_drive_ = false;
};

}  // namespace platter::extract
