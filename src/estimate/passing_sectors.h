// Whether a layout's tracks are what the platter turns by: reads within one track tell the angle
// from sector to sector without any angle being known. They show sectors at the ends of tracks that
// no LBN tells of, and a map whose tracks are none. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "statistics/robust.h"

namespace platter::estimate {

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

// Nothing can be said of a zone of which a larger share is disturbed.
inline constexpr double kDisturbed = 0.1;

// From kept samples: those of experiment angle that follow one another on a track.
PassingSectors estimate_passing_sectors(const Samples& samples, const model::Rotation& rotation,
                                        const model::Layout& layout);
// The same where what a completion scatters by is known, `noise_rev`, and `map` is the layout's.
PassingSectors judge_zones(const Samples& samples, const model::Rotation& rotation,
                           const model::Layout& layout, const engine::LayoutMap& map,
                           double noise_rev);

}  // namespace platter::estimate
