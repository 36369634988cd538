// What runs that were cut off left in a folder of journals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "safety/journal_reader.h"

namespace platter::safety {

// A run that is still going on writes into it.
bool in_use(const std::string& path);
struct LeftJournal {
  std::string path;
  JournalContents contents;
};
// What runs that were cut off left of a drive, in the order of their names. Throws Error(refused)
// that names a journal that cannot be read, for nobody can tell of which drive it is, and
// Error(permission) where the folder cannot be listed.
std::vector<LeftJournal> left_journals(const std::string& folder, const model::Identity& identity);
// Gone for good, also after a power loss. Where it cannot be removed: why, and what to do.
[[nodiscard]] std::optional<std::string> remove_journal(const std::string& path);

}  // namespace platter::safety
