// Runs learnt one after another: until a pattern shows in them, and where the place in it was lost.
#pragma once

#include <cstddef>

#include "layout_by_timing/map_so_far.h"

namespace platter::layout_by_timing {

class Learner {
 public:
  explicit Learner(MapSoFar& map) : map_(map) {}

  // Some more; then the last has a place, or the next ones are to be learnt.
  void learn();
  // From the next block that is to be mapped, or behind what cannot be told: a track that lost many
  // sectors, or a scratch over many tracks. Throws Error(unsupported) where no read shows tracks.
  void begin_anew();
  // A run is begun behind the last one, which ends where it should.
  void begin_behind();
  // The same, and what comes has no place in the pattern.
  void lose_place();

 private:
  void learn_one();
  void learn_tracks();
  bool changes_by_track() const;
  void look_for_pattern();
  void find_place_again();

  MapSoFar& map_;
  std::size_t alone_from_ = 0;         // run: single tracks since then; 0: not
  bool never_alone_ = false;           // tried in vain
  std::size_t learnt_ = 0, lost_ = 0;  // runs: without a pattern; since the place in it was lost
};

}  // namespace platter::layout_by_timing
