// The index for searching, in an SQLite file beside the layouts. It is derived: a file that is
// gone, damaged or older than a layout is made anew, and a folder that may not be written does
// without.
#pragma once

#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/store.h"

namespace platter::registry {

struct Listing {
  std::vector<Entry> entries;         // by drive, then in the order of publication
  std::vector<std::string> problems;  // what could not be read, a sentence each; see verify.h
};

// Every model whose names and annotations hold all of `words`, in any case of letters; all models
// without words. Throws Error(bad_input) where there is no registry.
Listing search(const Store& store, const std::vector<std::string>& words = {});

// Makes the index anew and returns how many models it holds.
std::size_t rebuild_search_index(const Store& store);

std::string search_index_path(const Store& store);

}  // namespace platter::registry
