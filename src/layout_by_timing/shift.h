// By how many blocks the bands behind one that is not understood come earlier than foreseen: a few
// readings of them, at any blocks, leave one number possible.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "layout_by_timing/prober.h"
#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

class ShiftFinder {
 public:
  explicit ShiftFinder(Prober& prober) : prober_(prober) {}

  // `bands`: one behind the other, as if none of their blocks came earlier. From `least`, which may
  // be negative, to `most` blocks. nullopt: no number or more than one explains the readings.
  std::optional<std::int64_t> find(std::span<const Run> bands, std::int64_t least,
                                   std::int64_t most);

 private:
  std::optional<std::int64_t> exactly(std::span<const Run> bands, std::int64_t about,
                                      std::int64_t more_or_less);

  Prober& prober_;
};

// A run whose blocks come so many earlier.
Run shifted(Run run, std::int64_t blocks);

}  // namespace platter::layout_by_timing
