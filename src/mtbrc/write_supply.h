// Writes of several blocks on one track: whether a drive waits for their data
// (estimate/write_supply.h).
#pragma once

#include <vector>

#include "mtbrc/context.h"

namespace platter::mtbrc {

// Writes of several blocks on the tracks, which may be written: a few everywhere, and where they
// take longer than the smallest ones, as many as the error needs.
void measure_write_supply(Context& context, const std::vector<engine::Track>& tracks,
                          double target_error_ms);

}  // namespace platter::mtbrc
