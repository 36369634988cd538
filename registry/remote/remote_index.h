// What is known here of a remote's index, the artifact under the tag "index" that its curator
// writes and signs: kept, so that only what changed is fetched again, and searched.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/remote/index_artifact.h"
#include "registry/remote/remotes.h"

namespace platter::registry_remote {

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

// With a key of the remote, throws Error(refused) for an index that it did not sign, one with a
// lower number than was seen, with the same number and another content, and for none;
// Error(bad_input) for a damaged one. Then what was known stays. Without a key, whatever is there
// is taken, and contradictions are among the problems; where there is no index, the tags are asked.
Refreshed refresh(const registry::Store& store, const Remote& remote, const Announce& announce);

// The table that search reads, filled by refresh.
std::string remote_table_path(const registry::Store& store, const std::string& name);

// What the last refresh said of a tag; empty where it does not know it.
std::string indexed_digest(const registry::Store& store, const Remote& remote, const EntryTag& tag);

}  // namespace platter::registry_remote
