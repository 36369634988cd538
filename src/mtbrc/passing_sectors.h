// Whether a layout's tracks are what the platter turns by: reads within one track tell the angle
// from sector to sector without any angle being known. They show sectors at the ends of tracks that
// no LBN tells of, and a map whose tracks are none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mtbrc/context.h"
#include "statistics/robust.h"

namespace platter::mtbrc {

struct PassingOptions {
  std::uint32_t first_tracks = 8;  // of each zone; fewer where zones are very many
  std::uint32_t most_tracks = 64;  // of a zone that is in doubt; of a layout of one zone at first
  double negligible_rev = 0.0012;  // over a whole track: no matter what it comes from
  Nanoseconds anchor_every_ns = 700 * kMillisecond;
  std::uint32_t anchor_reads = 4;
  Budget budget{30'000, 90 * kSecond};
};

struct ZonePassing {
  std::uint32_t sectors = 0;                    // of a track, by the layout; 0: tracks differ
  std::optional<statistics::Estimate> passing;  // sectors that pass in a revolution, as reads say
  std::size_t pairs = 0;                        // of sectors of one track that were compared
  double contradicting = 0;  // share of the pairs that are not where a track of any length has them
  double disturbed = 0;      // share of the sectors that were not where they had been a moment ago
  std::uint32_t hidden = 0;  // sectors at the end of each track that no LBN tells of
  bool untrue = false;       // sectors do not lie on tracks as the layout has them
  bool uneven = false;       // they do, but the tracks are not as long as the layout has them
};

struct PassingSectors {
  std::vector<ZonePassing> zones;
  double noise_rev = 0;  // one standard deviation of a completion's phase
};

// Reads tracks drawn at random, in each zone until it is known whether its tracks have more sectors
// than the layout knows. Caches off; rotation known.
PassingSectors measure_passing_sectors(Context& context, const model::Layout& layout,
                                       const PassingOptions& options = {});
// The same from kept samples: those of experiment angle that follow one another on a track. Pure.
PassingSectors estimate_passing_sectors(const Samples& samples, const model::Rotation& rotation,
                                        const model::Layout& layout);

}  // namespace platter::mtbrc
