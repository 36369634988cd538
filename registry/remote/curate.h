// A remote's curator: the one who writes and signs its index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/remote/fetch_index.h"
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

// What a curator remembers of the indexes that he wrote: their numbers come from here and from what
// his key signed, never from what lies under the remote's tag.
//
//   DIR/curated/HEX.json     HEX: the SHA-256 of the repository's place; stays when a remote goes
//   DIR/curated/HEX          the last index that was sent
struct WrittenIndex {
  std::uint64_t given = 0;  // the highest number that was given to an index, sent or not
  Seen sent;                // the last one that came to its place
};

// Where the index itself is kept (fetch_index.h).
registry::Store written_store(const registry::Store& store, const std::string& place);

// Throws Error(bad_input) for a damaged record: a number that is not known is not 0.
WrittenIndex written_index(const registry::Store& store, const std::string& place);
void keep_written_index(const registry::Store& store, const std::string& place,
                        const WrittenIndex& written);

}  // namespace platter::registry_remote
