// A journal, read: every line that is as it was written, and which are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "safety/block_contents.h"
#include "safety/saved_settings.h"

namespace platter::safety {

// Lines of a journal that are not as they were written.
struct DamagedLines {
  std::uint64_t first = 0, last = 0;   // from 1, the head's
  std::optional<std::uint64_t> lbn{};  // as far as one can be read
};

struct JournalContents {
  std::string device;
  model::Identity identity;
  SavedSettings settings;
  BlockContents blocks{512};            // of every entry that is whole
  std::vector<DamagedLines> damaged{};  // entries of which nothing is used
  bool torn = false;                    // its last line was cut off
};

// Every line has a checksum (model/checked_line.h), and the head is there twice. What a crash left
// of a last line is no damage: its write had not begun. Throws Error(bad_input) for a file that is
// no journal or of which neither head is whole, Error(permission) for one that may not be read.
JournalContents read_journal(const std::string& path);

// "lines 5 and 9 are damaged (LBN 1000, as far as it can be read)"; "": none.
std::string damage_in_words(const JournalContents& journal);

}  // namespace platter::safety
