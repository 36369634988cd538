// Reads within one track, of tracks drawn at random: whether a layout's tracks are what the platter
// turns by (estimate/passing_sectors.h).
#pragma once

#include <cstdint>

#include "estimate/passing_sectors.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct PassingOptions {
  std::uint32_t fewest_tracks = 4;  // of each zone
  std::uint32_t first_tracks = 8;   // of each zone; fewer where zones are very many
  std::uint32_t most_tracks = 64;   // of a zone that is in doubt; of a layout of one zone at first
  double negligible_rev = 0.0012;   // over a whole track: no matter what it comes from
  Nanoseconds anchor_every_ns = 700 * kMillisecond;
  std::uint32_t anchor_reads = 4;
  Budget budget{30'000, 90 * kSecond};
};

// Reads tracks drawn at random, in each zone until it is known whether its tracks have more sectors
// than the layout knows. Caches off; rotation known.
estimate::PassingSectors measure_passing_sectors(Context& context, const model::Layout& layout,
                                                 const PassingOptions& options = {});

}  // namespace platter::mtbrc
