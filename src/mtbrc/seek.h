// What tells the seek curve: SEEK commands, and MTBRCs of reads so many cylinders apart
// (estimate/seeks.h).
#pragma once

#include "estimate/samples.h"
#include "estimate/seeks.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct SeekOptions {
  double target_error_ms = 0.008;          // of a point
  double target_interpolation_ms = 0.010;  // between points, as MTBRCs tell them
  double command_tolerance_ms = 0.015;     // of a straight line between such
  double command_error_ms = 0.013;         // of a point that SEEK commands tell
  // Distances at which MTBRCs judge SEEK commands, and tell the constant between them, which is
  // part of each overhead of a read; so many commands, and of MTBRCs as many as the error needs.
  std::uint32_t compared = 9;
  std::uint32_t compared_commands = 24;
  double compared_error_ms = 0.011;
  double grid_error_ms = 0.016;                  // of a point of the first grid
  double grid_share = 0.75;                      // of the budget, at most, for the first grid
  std::uint32_t most_beyond_500 = 110;           // distances in the first grid beyond 500, by SEEK
  std::uint32_t most_trialled_beyond_500 = 110;  // the same by trials
  std::uint32_t most_trials = 160;               // of one distance
  Budget budget{20'000, 60 * kSecond};           // where the context has none
};

// Measures where the curve is uncertain: first the distances of the DIXtrac paper, then between
// them. SEEK commands are cheap: a look into every interval, ever closer where a straight line is
// wrong. MTBRCs are not: halving the intervals in which a line is furthest from the curve, then
// sharpening the worst points. context.map with angles. Caches off.
estimate::Seeks measure_seeks(Context& context, const SeekOptions& options = {});

// Trials on one track: `write` and `after_write` as the accesses' and what comes before them.
// Tracks are random ones, or among `tracks` (which must be writable if anything writes).
void measure_same_track(Context& context, bool write, bool after_write, double target_error_ms,
                        const std::vector<engine::Track>& tracks = {},
                        std::optional<std::uint32_t> blocks = std::nullopt);

}  // namespace platter::mtbrc
