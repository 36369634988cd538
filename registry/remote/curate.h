// A remote's curator: the one who writes and signs its index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/remote/remote_index.h"

namespace platter::registry_remote {

struct Indexed {
  std::uint64_t number = 0;
  std::string digest;
  std::size_t entries = 0, added = 0, gone = 0;
  std::vector<std::string> problems;  // tags that are no entries
};

// Walks the tags that the last index does not have, writes and signs the next; writes nothing where
// that would say the same. Of the index there nothing is used unless this key signed it. The number
// is above that of all that the key signed and that were seen or written here, and above `least`.
// `date`: now, RFC 3339. Throws Error(refused) where the key is not the remote's, and where numbers
// are used up.
Indexed write_index(const registry::Store& store, const Remote& remote,
                    const registry_trust::PrivateKey& key, const std::string& date,
                    std::uint64_t least, const Announce& announce);

}  // namespace platter::registry_remote
