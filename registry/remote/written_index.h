// What a curator remembers of the indexes that he wrote: their numbers come from here and from what
// his key signed, never from what lies under the remote's tag.
//
//   DIR/curated/HEX.json     HEX: the SHA-256 of the repository's place; stays when a remote goes
//   DIR/curated/HEX          the last index that was sent
#pragma once

#include <string>

#include "registry/remote/fetch_index.h"

namespace platter::registry_remote {

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
