// The index under a remote's tag "index", its signature first: of one that is refused nothing is
// read, not its number either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "registry/remote/index_artifact.h"
#include "registry/remote/skopeo.h"

namespace platter::registry_remote {

// What is kept of a remote's index: a layout of its own, and the index in it.
registry::Store kept_store(const registry::Store& store, const Remote& remote);
std::optional<Index> kept_index(const registry::Store& kept, const Remote& remote);
// From now on this is what is kept; blobs that it does not need go.
void keep_index(const registry::Store& kept, const Index& index, const WorkingLayout& work);

// The last index that counts: one that the remote's key signed, or that a curator wrote himself.
struct Seen {
  std::uint64_t number = 0;  // 0: none was seen
  std::string digest = {};
};

// With all its blobs in `work`, where those that are there already are not fetched; nothing where
// there is none. With a key of the remote, throws Error(refused) for what it did not sign for this
// repository, for a lower number than was seen, and for the same one with another content; then
// Error(bad_input) for what is no index. Without a key nobody vouches for numbers, and they bind
// nobody.
std::optional<Index> fetch_index(const Skopeo& skopeo, const Remote& remote, const Seen& seen,
                                 const WorkingLayout& work);

// So that they are there already.
void offer_kept_blobs(const registry::Store& kept, const std::optional<Index>& index,
                      const WorkingLayout& work);

// A sentence where no curator comes from one number to the other by writing: numbers end, and
// whoever uses them up ends the index. Empty: it is usual.
std::string unusual_step(const Remote& remote, std::uint64_t seen, std::uint64_t number);

}  // namespace platter::registry_remote
