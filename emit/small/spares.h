// The sectors of a zone that hold no block, said more simply.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/drive_model.h"

namespace platter::emit_small {

struct Slots {
  std::uint64_t first = 0, end = 0;
};

// Those runs of skips, whole or cut, that lie within the slots.
std::vector<model::Skip> within(std::span<const model::Skip> skips, const Slots& slots);

std::uint64_t skipped(std::span<const model::Skip> skips);

// Skips within the slots, as many sectors as `skips` (which lie there) hold, so that each block is
// about `tolerance` slots at most from its place by them. The spares that recur stay as they are.
// Tolerance 0: the skips themselves.
std::vector<model::Skip> simplified(std::span<const model::Skip> skips, const Slots& slots,
                                    std::uint64_t tolerance);

}  // namespace platter::emit_small
