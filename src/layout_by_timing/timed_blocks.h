// What a map by timing asks of a drive: when a block's sector has passed under the head. Blocks
// here are physical blocks, numbered from 0; whoever implements it knows how a command reaches the
// media.
#pragma once

#include <cstdint>
#include <optional>

#include "model/units.h"

namespace platter::layout_by_timing {

struct Access {
  Nanoseconds issued_ns = 0, completed_ns = 0;
};

class TimedBlocks {
 public:
  virtual ~TimedBlocks() = default;
  virtual std::uint64_t blocks() const = 0;
  virtual Nanoseconds now_ns() = 0;
  // From the media, ended by the block's passing. nullopt: it cannot be read, or was held up.
  virtual std::optional<Access> access(std::uint64_t block) = 0;
  // False: a cache may answer what was asked for before, so no block is asked for twice.
  virtual bool may_repeat() const = 0;
};

}  // namespace platter::layout_by_timing
