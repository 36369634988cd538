// Angles of every track of a layout whose structure is known, relative to a reference LBN. What is
// seen is the end of a sector plus a constant (bus, host); the constant cancels against the
// reference, the end is turned into the beginning by the track's number of sectors. (Wong 2019,
// "angular position"; DIXtrac's g4 tools calibrate skews locally and let errors add up.)
#pragma once

#include <vector>

#include "estimate/layout_angles.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct AngleOptions {
  double target_error_rev = 0.0007;  // of a track's angle within its zone
  std::uint32_t reads_per_track = 4;
  std::uint32_t random_tracks = 24;  // in each zone, besides those that bring in its unknowns
  Nanoseconds anchor_every_ns = 700 * kMillisecond;
  std::uint32_t anchor_reads = 4;
  std::uint32_t most_splits = 24;        // of zones whose tracks do not follow one rule
  std::vector<bool> left_zones;          // by zone: not to be measured, for its tracks are none
  Budget budget{60'000, 120 * kSecond};  // where the context has none
};

// Determines all angles of a layout (angle_rev and angle_step_rev of every node), relative to the
// beginning of the run's reference sector. Sectors anywhere are read last to check them: where they
// lie elsewhere, layout.angle says so, and by how much. Earlier samples of experiment angle count
// as well. Caches off; rotation known.
estimate::LayoutAngles measure_layout_angles(Context& context, const model::Layout& layout,
                                             const AngleOptions& options = {});

}  // namespace platter::mtbrc
