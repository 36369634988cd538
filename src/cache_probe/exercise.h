// The last cache test: requests of all kinds in random order, some judged, against which the model
// that came out of the other tests is held (explained.h). No test before it asked for such
// sequences.
#pragma once

#include <vector>

#include "cache_probe/prober.h"

namespace platter::cache_probe {

const char* name_of(Exercise kind);

// `targets`: as Targets::all() has them; empty: reads only. `further`: there was an exercise
// before, and its writes without pause were enough.
void exercise_cache(Prober& prober, const std::vector<std::uint64_t>& targets,
                    bool further = false);

}  // namespace platter::cache_probe
