// What a remote's index says of its entries: a line of JSON each, in 16 parts by the first
// hexadecimal digit of the drive's identity, so that a new entry changes one part; each part in
// zstd. Pure functions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/read_budget.h"
#include "registry/entry.h"

namespace platter::registry_remote {

inline constexpr std::size_t kParts = 16;
inline constexpr char kHexDigits[] = "0123456789abcdef";

// The same entries are the same bytes. Throws Error(bad_input) for an entry without an identity.
std::array<std::string, kParts> index_parts(const std::vector<registry::Entry>& entries);

// What anybody may push must not make the index unreadable: throws Error(bad_input) where
// entries_in() would not take this entry.
void require_indexable(const registry::Entry& entry);
// What an index may ask for whose parts have so many bytes: one budget for all of them. `origin`
// is for sentences.
model::ReadBudget index_budget(const std::string& origin, std::uint64_t bytes);

// The entries of one part, `latest` set; they lie in `remote`. Throws Error(bad_input) with
// `origin` for what is no zstd, asks for more than the budget has, or has a line that is no entry
// or belongs into another part.
std::vector<registry::Entry> entries_in(const std::string& part, std::size_t digit,
                                        const std::string& remote, const std::string& origin,
                                        model::ReadBudget& budget);

}  // namespace platter::registry_remote
