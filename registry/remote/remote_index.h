// A remote's index: the artifact under the tag "index" that its curator writes and signs, and what
// is kept of it here, so that only what changed is fetched again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/remote/remotes.h"

namespace platter::registry_remote {

inline constexpr const char* kIndexArtifactType = "application/vnd.platter.index.v1";
inline constexpr const char* kIndexTag = "index";

using Announce = std::function<void(const std::string& sentence)>;  // what will take long

struct Refreshed {
  std::uint64_t number = 0;  // 0: the remote has no index, its tags were walked
  std::string date;
  std::size_t entries = 0;
  std::size_t changed_parts = 0;    // of 16
  std::uint64_t fetched_bytes = 0;  // of those
  bool verified = false;            // by the remote's key
  std::vector<std::string> problems;
};

// Throws Error(refused) for an index with a lower number than was seen, with the same number and
// another content, not signed by the remote's key, or gone; Error(bad_input) for a damaged one.
// Then what was known stays.
Refreshed refresh(const registry::Store& store, const Remote& remote, const Announce& announce);

inline constexpr std::uint64_t kLargestNumber = 1'000'000'000'000;  // of an index

struct Indexed {
  std::uint64_t number = 0;
  std::string digest;
  std::size_t entries = 0, added = 0, gone = 0;
  std::vector<std::string> problems;  // tags that are no entries
};

// The curator's: walks the tags that the last index does not have, writes and signs the next;
// writes nothing where that would say the same. Its number is above that of the index there,
// whatever that is worth, above all that were seen here, and above `least`. `date`: now, RFC 3339.
// Throws Error(refused) where the key is not the remote's.
Indexed write_index(const registry::Store& store, const Remote& remote,
                    const registry_trust::PrivateKey& key, const std::string& date,
                    std::uint64_t least, const Announce& announce);

// The table that search reads, filled by refresh.
std::string remote_table_path(const registry::Store& store, const std::string& name);

// What the last refresh said of a tag; empty where it does not know it.
std::string indexed_digest(const registry::Store& store, const Remote& remote, const EntryTag& tag);

}  // namespace platter::registry_remote
