// The last cache test: requests of all kinds in random order, some judged, against which the model
// that came out of the other tests is held (explained.h). No test before it asked for such
// sequences.
#pragma once

#include <vector>

#include "cache_probe/prober.h"

namespace platter::cache_probe {

// What an observation of Question::exercise is; its x.
enum class Exercise : std::int64_t {
  setup,         // not judged
  elsewhere,     // a read where nothing was read
  again,         // a read of what was read
  carries_on,    // a read behind an earlier one, or behind what carried that on
  ahead,         // a read some blocks further on
  before,        // a read of blocks in front of an earlier one
  written,       // a write
  read_written,  // a read of what was written
  at_once,       // a sequential read as soon as the one before is complete
  burst,         // one of many writes at places of their own, without pause; judged by its time
};
constexpr std::int64_t kExercises = static_cast<std::int64_t>(Exercise::burst) + 1;
const char* name_of(Exercise kind);

// `targets`: as Targets::all() has them; empty: reads only. `further`: there was an exercise
// before, and its writes without pause were enough.
void exercise_cache(Prober& prober, const std::vector<std::uint64_t>& targets,
                    bool further = false);

}  // namespace platter::cache_probe
