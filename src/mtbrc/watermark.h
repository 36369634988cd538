// Reads of several blocks whose first sector's angle is known (estimate/watermark.h).
#pragma once

#include "mtbrc/context.h"

namespace platter::mtbrc {

struct WatermarkOptions {
  std::uint32_t reads = 96;
  std::uint32_t least_blocks = 6, most_blocks = 48;  // at most a third of a track
  Budget budget{600, 6 * kSecond};                   // where the context has none
};

// Reads of random sizes, each behind a read half a turn away on the same track, so that the
// heads arrive outside of them. Caches off; context.map with angles.
void measure_watermark(Context& context, const WatermarkOptions& options = {});

}  // namespace platter::mtbrc
