// A remote's index as an artifact: a manifest that says its number, its date and how many entries
// it has, and 16 layers with them (index_lines.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/remote/index_lines.h"
#include "registry/remote/remotes.h"
#include "registry/remote/signed_first.h"

namespace platter::registry_remote {

inline constexpr const char* kIndexArtifactType = "application/vnd.platter.index.v1";
inline constexpr const char* kIndexTag = "index";
inline constexpr std::uint64_t kLargestNumber = 1'000'000'000'000;  // of an index

struct Index {
  registry::Descriptor descriptor;
  registry::Manifest manifest;
  std::uint64_t number = 0, entries = 0;
  std::string date = {};
};

// What sentences call it: REMOTE/index.
std::string index_name(const Remote& remote);

// The one that a layout's tag "index" names. Throws Error(bad_input) with `origin` for what is no
// index.
Index read_index(const registry::Layout& layout, const std::string& origin);

// The layout's tag "index" names this one alone.
void tag_index(const registry::Store& store, const registry::Descriptor& index);

// The parts of an index of these entries into a layout: as yet without number, date and manifest.
Index put_parts(const WorkingLayout& work, const std::vector<registry::Entry>& entries);
// With them, under the layout's tag "index".
void finish_index(const WorkingLayout& work, Index& index, std::uint64_t number,
                  const std::string& date);

// For all parts of an index: what it may ask for by the bytes that its manifest says.
model::ReadBudget budget_of(const Index& index, const Remote& remote);
std::vector<registry::Entry> entries_of_part(const registry::Layout& layout, const Index& index,
                                             std::size_t digit, const Remote& remote,
                                             model::ReadBudget& budget);
std::vector<registry::Entry> entries_of_all(const registry::Layout& layout, const Index& index,
                                            const Remote& remote);

using Parts = std::set<std::size_t>;
Parts changed_parts(const Index& index, const std::optional<Index>& before);

}  // namespace platter::registry_remote
