// Reads of one block behind rests, each at a phase that halves what is not known yet of the time
// that the drive takes to be there.
#pragma once

#include <cstdint>

#include "estimate/wakes.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct WakeOptions {
  Nanoseconds rest_ns = 0;
  std::uint32_t least = 3, most = 5;  // wakes
  double enough = 0.0025;             // a standard error, as a share
};

// Appends samples of that group (estimate::Experiment::wake). False: fewer than `least` told
// anything, or the time was up. Reads of the block come from the media; the rotation is known.
bool read_behind_rests(Context& context, std::uint64_t lbn, std::int64_t group,
                       const WakeOptions& options);

}  // namespace platter::mtbrc
