// What runs that were cut off left in a folder of journals.
#pragma once

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
struct JournalsOfFolder {
  std::vector<LeftJournal> of_drive;      // what runs that were cut off left of it
  std::vector<std::string> unreadable{};  // sentences: nobody can tell of which drive
};
// In the order of their names. Throws Error(permission) where the folder cannot be listed.
JournalsOfFolder left_journals(const std::string& folder, const model::Identity& identity);
// An earlier run may have left blocks or settings that nobody can read any more. Throws
// Error(refused) that names the first.
void refuse_unreadable(const JournalsOfFolder& journals);
// Gone for good, also after a power loss.
void remove_journal(const std::string& path);

}  // namespace platter::safety
