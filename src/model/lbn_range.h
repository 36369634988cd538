// A range of logical blocks, as people and programs name it.
#pragma once

#include <cstdint>

namespace platter {

struct LbnRange {
  std::uint64_t first = 0, last = 0;  // inclusive
  bool holds(std::uint64_t lbn, std::uint64_t blocks) const {
    return blocks > 0 && lbn >= first && lbn <= last && blocks - 1 <= last - lbn;
  }
  bool meets(const LbnRange& other) const { return first <= other.last && other.first <= last; }
};

}  // namespace platter
