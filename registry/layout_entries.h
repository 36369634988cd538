// What a drive's image layout says to who searches: its models with their signatures, and what of
// it could not be read.
#pragma once

#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/store.h"

namespace platter::registry {

// Something in a layout that could not be read, and how the file was then: it is looked at again
// when that is not so any more.
struct Damage {
  std::string drive, path, state, sentence;

  bool operator==(const Damage&) const = default;
};

struct LayoutEntries {
  std::vector<Entry> entries;  // in the order of publication
  std::vector<Damage> damages;
};

// Never throws for what is in the files. A layout without index.json has nothing.
LayoutEntries entries_of(const Layout& layout);

// Of a file: its digest, "absent", or in words why it has none.
std::string state_of_file(const std::string& path);

}  // namespace platter::registry
