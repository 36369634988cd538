// The safety journal: what a run is about to touch, on stable storage before it touches it. Sectors'
// contents cover a write that a crash tears; the settings as they were cover a crash before they are
// restored. `platter restore` reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "scsi/drive.h"

namespace platter::extract {

// A mode page as the drive gave it, for Drive::restore_page().
using SavedPage = std::vector<std::uint8_t>;

// All settings that a run may change.
struct SavedSettings {
  std::vector<SavedPage> pages;          // of those that scsi::may_be_set()
  std::optional<scsi::AtaSettings> ata;  // of an ATA drive
};

SavedSettings settings_of(scsi::Drive& drive);

bool same_drive(const model::Identity& a, const model::Identity& b);

class Journal {
 public:
  // A new file in `folder` (made if it is not there), named after the drive and the process. Must not
  // lie on the drive that is measured. Throws Error(output), and Error(refused) where the drive's
  // settings are not those of a journal that a run left there which was cut off.
  Journal(const std::string& folder, const std::string& device, const model::Identity& identity,
          const SavedSettings& settings);
  // A run that ends in order, its settings restored, leaves nothing to restore.
  void finish();
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Sectors about to be rewritten, with what they hold; returns once that is on stable storage.
  // Sectors that are in the journal already cost nothing.
  void before_write(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes);

  const std::string& path() const { return path_; }

 private:
  void append(const std::string& line);

  std::string path_;
  int file_ = -1;
  std::map<std::uint64_t, std::size_t> written_;  // bytes journaled from each LBN
};

struct JournalContents {
  std::string device;
  model::Identity identity;
  SavedSettings settings;
  std::map<std::uint64_t, std::vector<std::uint8_t>> sectors;  // by first LBN; the first entry counts
};

// A torn last line (a crash while it was written) is left out: its write had not begun.
// Throws Error(bad_input) for a file that is no journal.
JournalContents read_journal(const std::string& path);

// $XDG_STATE_HOME/platter, or ~/.local/state/platter.
std::string default_journal_folder();

}  // namespace platter::extract
