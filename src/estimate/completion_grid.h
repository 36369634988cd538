// Completions that reach the host at fixed moments only: USB delivers them by microframes of
// 125 us, adapters coalesce interrupts, clocks have steps.
#pragma once

#include <optional>

#include "estimate/samples.h"
#include "model/units.h"

namespace platter::estimate {

// The moments' distance, from 20 us on; nullopt: none shows, or too few samples would. Reads of
// sectors lie on a grid of their own, that of sectors, and commands without media take alike long:
// a grid of completions is one that both keep. Pure.
std::optional<Nanoseconds> completion_grid(const Samples& samples);

// The least standard error of a mean of so many times that were rounded to such a grid, in ms: the
// variance of what was rounded away is grid^2 / 12.
double least_error_ms(Nanoseconds grid_ns, std::uint64_t samples);

}  // namespace platter::estimate
