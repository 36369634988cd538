#include "replay/outside_count.h"

namespace platter::replay {

void OutsideCount::add(std::uint64_t lbn, std::uint32_t blocks, bool write, std::uint64_t beside) {
  const engine::ValidityTable& v = validity_;
  if (v.last_lbn == 0) return;  // the model names no range
  const bool place = lbn < v.first_lbn || lbn + blocks - 1 > v.last_lbn;
  const bool size = blocks < v.min_blocks || blocks > v.max_blocks;
  const bool kind = write ? !v.writes : !v.reads;
  const bool depth = depth_counts_ && beside >= v.max_depth;
  all_ += place || size || kind || depth;
  by_.place += place;
  by_.size += size;
  (write ? by_.writes : by_.reads) += kind;
  by_.depth += depth;
}

}  // namespace platter::replay
