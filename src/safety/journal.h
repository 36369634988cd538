// The safety journal: what a run is about to touch, on stable storage before it touches it.
// Sectors' contents cover a write that a crash tears; the settings as they were cover a crash
// before they are restored. `platter restore` reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "safety/block_contents.h"
#include "safety/saved_settings.h"

namespace platter::safety {

class Journal {
 public:
  // A new file in `folder` (made if it is not there), named after the drive and the process. Must
  // not lie on the drive that is measured. Throws Error(output), and Error(refused) where the
  // drive's settings are not those of a journal that a run left there which was cut off, or that
  // has blocks.
  Journal(const std::string& folder, const std::string& device, const model::Identity& identity,
          const SavedSettings& settings);
  // A run that ends in order, its settings restored, leaves nothing to restore.
  void finish();
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Blocks about to be rewritten, with what they hold; returns once that is on stable storage.
  // Blocks that are in the journal already cost nothing, and stay as they came first.
  void before_write(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes);
  // All blocks that may have been written, as they were before.
  const BlockContents& contents() const { return contents_; }

  const SavedSettings& settings() const { return settings_; }
  const std::string& path() const { return path_; }

 private:
  void append(const std::string& line);

  std::string path_;
  int file_ = -1;
  SavedSettings settings_;
  BlockContents contents_;
};

struct JournalContents {
  std::string device;
  model::Identity identity;
  SavedSettings settings;
  // Every block of every entry; where entries disagree the longest counts, of those the latest.
  BlockContents blocks{512};
};

// A torn last line (a crash while it was written) is left out: its write had not begun.
// Throws Error(bad_input) for a file that is no journal.
JournalContents read_journal(const std::string& path);

// A run that is still going on writes into it.
bool in_use(const std::string& path);
// What runs that were cut off left of a drive, in the order of their names.
struct LeftJournal {
  std::string path;
  JournalContents contents;
};
std::vector<LeftJournal> left_journals(const std::string& folder, const model::Identity& identity);
// Gone for good, also after a power loss.
void remove_journal(const std::string& path);

// $XDG_STATE_HOME/platter, or ~/.local/state/platter.
std::string default_journal_folder();

}  // namespace platter::safety
