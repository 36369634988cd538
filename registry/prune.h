// Versions that nobody needs any more, out of the registry; and the blobs that nothing refers to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

enum class Doing : std::uint8_t { only_told, done };

struct Pruned {
  std::string reference, digest;
};

// Takes these versions (DRIVE:vN, DRIVE@DIGEST, sha256:...) and their signatures out of their
// drives' image indexes. Their numbers are never given to another model; the same model, published
// again, gets its number back. Their blobs stay until collect_garbage(). Throws Error(bad_input)
// for what is not there, and then takes nothing away.
std::vector<Pruned> prune(const Store& store, const std::vector<std::string>& references,
                          Doing doing);

// The same with all versions but the `keep` highest of each of these drives; of all, if none is
// named.
std::vector<Pruned> prune_older(const Store& store, const std::vector<std::string>& drives,
                                std::size_t keep, Doing doing);

struct Garbage {
  std::string path;
  std::uint64_t bytes = 0;
};

// Deletes the shared blobs that no image index reaches, and what stopped writers left. Throws
// Error(bad_input), and deletes nothing, where a manifest cannot be read: nobody knows what it
// refers to.
std::vector<Garbage> collect_garbage(const Store& store, Doing doing);

}  // namespace platter::registry
