// A drive's map by timed accesses alone: which blocks lie on which track, and at which angle. Runs
// are walked and followed until their pattern is known; then the pattern is held against the drive,
// band by band or in leaps, and what it does not explain is looked into where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layout_by_timing/learner.h"
#include "layout_by_timing/map_so_far.h"
#include "layout_by_timing/mender.h"
#include "layout_by_timing/pattern_doubt.h"
#include "layout_by_timing/settler.h"

namespace platter::layout_by_timing {

class Mapper {
 public:
  Mapper(TimedBlocks& drive, double period_ns, MapperOptions options);

  // From the first block to the last, or as far as time goes. Throws Error(unsupported) where reads
  // show no tracks.
  void map();
  const std::vector<Run>& runs() const { return map_.runs; }
  // Whether the runs cover all blocks, be it by guesses (Run::standing).
  bool complete() const { return complete_; }
  const MapperCounts& counts() const { return map_.counts; }
  const Frame& frame() const { return map_.frame; }
  Prober& prober() { return map_.prober; }  // knows what was read
  const std::optional<Pattern>& pattern() const { return map_.pattern; }

 private:
  void learn();
  bool is_to_be_learnt_anew();
  void forget_pattern();
  void sweep();
  std::uint32_t bands_to_leap();
  void accept(std::span<const Run> bands);
  void guess_the_rest();

  MapSoFar map_;
  Settler settler_;
  Learner learner_;
  Mender mender_;
  PatternDoubt doubt_;
  Nanoseconds unknown_since_ns_ = 0;  // the pattern
  double gap_ = 4;                    // bands between two that the pattern gets wrong, lately
  std::size_t streak_ = 0;            // bands since the last such
  std::size_t unproven_ = 0;          // bands to be met one by one: the place may be wrong
  bool complete_ = false;
};

}  // namespace platter::layout_by_timing
