// Where no block may be read twice: the walk of reads that tells the period of one revolution
// (estimate/walked_rotation.h).
#pragma once

#include <cstdint>
#include <optional>

#include "mtbrc/context.h"

namespace platter::mtbrc {

// Hands out the blocks of a walk: one of each physical block, downwards.
class FreshWalk {
 public:
  FreshWalk(const Context& context, std::uint64_t first) : context_(context), next_(first) {}
  std::optional<std::uint64_t> next();  // nullopt: the walk has come to the first block

 private:
  const Context& context_;
  std::optional<std::uint64_t> next_;
};

}  // namespace platter::mtbrc
