// Is everything in a registry what its digests say, and every model a valid one?
#pragma once

#include <string>
#include <vector>

#include "registry/store.h"

namespace platter::registry {

struct Verification {
  std::size_t drives = 0, models = 0, blobs = 0;
  std::vector<std::string> findings;  // a sentence each, which names the file; empty: all is well
  std::vector<std::string> notices;   // leftovers of a writer that was stopped: no harm in them
};

// Of every layout: the marker, the image index, recorded tags, every manifest, config and layer
// (size and digest). Of every model: validity, canonical form, that the annotations agree with it.
// Of the shared blobs: content against name, and which of them nothing refers to. Reads only.
Verification verify(const Store& store);

// The same of one published model.
Verification verify(const Store& store, const std::string& reference);

}  // namespace platter::registry
