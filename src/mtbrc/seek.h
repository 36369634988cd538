// The seek curve: SEEK commands where the drive has them and they prove to be its seeks, else
// MTBRCs of two reads `d` cylinders apart, same head, less MTBRC on one track (DIXtrac,
// section 4.2, "Seek Times": both methods). A seek time is from the end of the command's overhead
// until the arm is on track.
#pragma once

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
  double grid_error_ms = 0.016;         // of a point of the first grid
  double grid_share = 0.75;             // of the budget, at most, for the first grid
  std::uint32_t most_beyond_500 = 110;  // distances in the first grid beyond 500
  std::uint32_t most_trials = 160;      // of one distance
  Budget budget{20'000, 60 * kSecond};  // where the context has none
};

// Measures where the curve is uncertain: first the distances of the DIXtrac paper, then between
// them. SEEK commands are cheap: a look into every interval, ever closer where a straight line is
// wrong. MTBRCs are not: halving the intervals in which a line is furthest from the curve, then
// sharpening the worst points. context.map with angles. Caches off.
//
// Seeks inward and outward are compared first; only where they differ beyond doubt each direction
// has its own points.
struct Seeks {
  model::Seek seek;  // inward, where there is
  std::optional<model::Seek> outward;
};
Seeks measure_seeks(Context& context, const SeekOptions& options = {});

// From kept samples. Pure.
Seeks estimate_seeks(const Samples& samples, const engine::LayoutMap& map,
                     const model::Rotation& rotation);

// MTBRC(1-sector read, 1-sector read) on one track, ms; the constant part of every read. Where the
// media are reached by VERIFYs, of these (reads_among_verifies.h). Of writes
// those of so many blocks, else of the fewest (write_unit()).
model::Parameter estimate_same_track(const Samples& samples, const engine::LayoutMap& map,
                                     const model::Rotation& rotation, bool write = false,
                                     bool after_write = false,
                                     std::optional<std::uint32_t> blocks = std::nullopt);
// Of the reads on one track the share that something held up before they reached the media;
// nullopt: too few reads. Pure.
std::optional<double> late_share(const Samples& samples, const engine::LayoutMap& map,
                                 const model::Rotation& rotation);
// Trials on one track: `write` and `after_write` as the accesses' and what comes before them.
// Tracks are random ones, or among `tracks` (which must be writable if anything writes).
void measure_same_track(Context& context, bool write, bool after_write, double target_error_ms,
                        const std::vector<engine::Track>& tracks = {},
                        std::optional<std::uint32_t> blocks = std::nullopt);

}  // namespace platter::mtbrc
