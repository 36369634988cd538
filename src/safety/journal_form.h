// What the writer and the readers of a journal have in common.
#pragma once

#include <cstdint>
#include <string>

namespace platter::safety {

inline constexpr const char* kSchemaName = "platter-journal";
inline constexpr const char* kJournalExtension = ".journal";
inline constexpr std::uint64_t kJournalHeads = 2;  // lines that say the same: one may be damaged

// A folder's names are on stable storage then. False, and errno: they are not. Filesystems that
// cannot synchronize a folder are taken at their word.
bool synchronize(const std::string& folder);

}  // namespace platter::safety
