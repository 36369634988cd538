// By what a request lies outside of what the model was checked with: for the engine, which marks
// its completions, and for whoever says why.
#pragma once

#include <cstdint>

#include "engine/flat_tables.h"

namespace platter::engine {

struct OutsideOfChecked {
  bool place = false, size = false, kind = false;  // kind: none that reads, or writes, was checked

  bool any() const { return place || size || kind; }
};

// But for how many are outstanding. Of a model that names no range nothing is outside.
inline OutsideOfChecked outside_of(const ValidityTable& v, std::uint64_t lbn, std::uint32_t blocks,
                                   bool write) {
  if (v.last_lbn == 0) return {};
  return {lbn < v.first_lbn || lbn + blocks - 1 > v.last_lbn,
          blocks < v.min_blocks || blocks > v.max_blocks, write ? !v.writes : !v.reads};
}

// `beside`: how many others are outstanding.
inline bool is_too_deep(const ValidityTable& v, std::uint64_t beside) {
  return v.last_lbn != 0 && beside >= v.max_depth;
}

}  // namespace platter::engine
