#include "replay/outside_count.h"

#include "engine/outside.h"

namespace platter::replay {

void OutsideCount::add(std::uint64_t lbn, std::uint32_t blocks, bool write, std::uint64_t beside) {
  const engine::OutsideOfChecked outside = engine::outside_of(validity_, lbn, blocks, write);
  const bool depth = depth_counts_ && engine::is_too_deep(validity_, beside);
  all_ += outside.any() || depth;
  by_.place += outside.place;
  by_.size += outside.size;
  (write ? by_.writes : by_.reads) += outside.kind;
  by_.depth += depth;
}

}  // namespace platter::replay
