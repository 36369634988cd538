// The period of one revolution where no block may be read twice: blocks that had not been read
// before, one below the other, each once. On one track each lies the same small angle in front of
// the one before it; that angle is not known, and comes out with the period, for the turns between
// two reads vary. Where the walk comes to another track it begins anew. Downwards, since what a
// drive reads ahead lies above.
#pragma once

#include <optional>

#include "estimate/samples.h"
#include "statistics/robust.h"

namespace platter::estimate {

struct WalkedRotation {
  statistics::Estimate period_ns;
  double noise_ns = 0;  // spread of one completion
};

// Whether the reads that tell the period are a walk.
bool is_walk(const Samples& samples);
// Of one session. nullopt: they are no reads of sectors beside each other on something that turns.
std::optional<WalkedRotation> walked_rotation(const Samples& walk);

}  // namespace platter::estimate
