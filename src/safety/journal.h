// The safety journal: what a run is about to touch, on stable storage before it touches it.
// Sectors' contents cover a write that a crash tears; the settings as they were cover a crash
// before they are restored. `platter restore` reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "safety/block_contents.h"
#include "safety/saved_settings.h"

namespace platter::safety {

class Journal {
 public:
  // A new file in `folder` (made if it is not there), named after the drive and the process; it is
  // there under its name once its head is on stable storage. Must not lie on the drive that is
  // measured. Throws Error(output), and Error(refused) where a journal in the folder cannot be
  // read, or a run that was cut off left one of this drive that has blocks or damaged lines, or
  // whose settings are not the drive's.
  Journal(const std::string& folder, const std::string& device, const model::Identity& identity,
          const SavedSettings& settings);
  // A run that ends in order, its settings restored, leaves nothing to restore. Where the file
  // cannot be removed: why, and what to do.
  [[nodiscard]] std::optional<std::string> finish();
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
  void append(const std::string& object);
  [[noreturn]] void cannot_be_written(const std::string& what_then) const;

  std::string path_;
  int file_ = -1;
  std::uint64_t lines_ = 0;
  SavedSettings settings_;
  BlockContents contents_;
};

// $XDG_STATE_HOME/platter, or ~/.local/state/platter.
std::string default_journal_folder();

// What the writer and the readers of a journal have in common.
inline constexpr const char* kSchemaName = "platter-journal";
inline constexpr const char* kJournalExtension = ".journal";
inline constexpr std::uint64_t kJournalHeads = 2;  // lines that say the same: one may be damaged

// A folder's names are on stable storage then. False, and errno: they are not. Filesystems that
// cannot synchronize a folder are taken at their word.
bool synchronize(const std::string& folder);

}  // namespace platter::safety
