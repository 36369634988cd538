// Where completions of one sector go on in another phase: a clock stepped, or a host slept, between
// them.
#pragma once

#include <span>
#include <vector>

#include "model/units.h"

namespace platter::estimate {

// `completions` ascending, of one LBN, in one session. The first completion in each new phase; a
// single late one is none. `period_ns`: sure to `relative_error` at first, and surer with each
// revolution that is counted; where revolutions cannot be counted nothing is said. `noise_ns`: what
// one completion scatters.
std::vector<Nanoseconds> phase_jumps(std::span<const Nanoseconds> completions, double period_ns,
                                     double relative_error, double noise_ns);

}  // namespace platter::estimate
