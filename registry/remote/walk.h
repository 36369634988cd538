// A remote's entries by its tags, one question to the remote each: what there is without an index,
// and how one is made.
#pragma once

#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/remote/remote_index.h"
#include "registry/remote/skopeo.h"

namespace platter::registry_remote {

struct Walk {
  std::vector<registry::Entry> entries;
  std::size_t added = 0, gone = 0;    // against what was known
  std::vector<std::string> problems;  // tags that are no entries, a sentence each
};

// Asks only for the tags that are not known, and for signatures of entries that had none.
Walk walk(const Skopeo& skopeo, const Remote& remote, std::vector<registry::Entry> known,
          const Announce& announce);

}  // namespace platter::registry_remote
