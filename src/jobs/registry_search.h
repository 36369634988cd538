// What is looked for in a registry, as people type it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/query.h"

namespace platter::jobs {

struct RegistrySearch {
  std::vector<std::string> words, demerits, annotations;
  std::string vendor, product, revision, capacity, rpm, form_factor, block_size, method, date,
      quality;
  std::uint64_t limit = 0;
  bool only_local = false;

  registry::Query query() const;  // throws Error(usage) where a text is no range
};

}  // namespace platter::jobs
