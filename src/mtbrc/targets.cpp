#include "mtbrc/targets.h"

#include <algorithm>

namespace platter::mtbrc {
namespace {

// Chosen: a random request takes some ms, and its demerit shows nothing below 0.1 % of that, which
// is about 5 us of a drive of 10,000 rpm; errors of single points of a curve differ in sign.
Targets enough() {
  Targets targets;
  targets.angles.target_error_rev = 0.0015;
  targets.angles.reads_per_track = 3;
  targets.angles.random_tracks = 2;
  // Few looks at the spindle's wander would not tell how far angles err by it.
  targets.angles.anchor_every_ns = 350 * kMillisecond;
  targets.passing.fewest_tracks = 2;
  targets.passing.first_tracks = 2;
  targets.seeks.target_error_ms = 0.024;
  targets.seeks.target_interpolation_ms = 0.015;
  targets.seeks.command_error_ms = 0.020;
  targets.seeks.command_tolerance_ms = 0.030;
  targets.seeks.compared = 5;
  targets.seeks.compared_commands = 12;
  targets.seeks.compared_error_ms = 0.018;
  targets.seeks.grid_error_ms = 0.024;
  targets.seeks.most_trialled_beyond_500 = 24;
  targets.seeks.most_trials = 80;
  targets.switches.target_error_ms = 0.012;
  targets.switches.settle_error_ms = 0.006;
  targets.switches.supply_error_ms = 0.006;
  targets.switches.constant_error_ms = 0.006;
  targets.switches.commands = 120;
  targets.switches.tracks = 12;
  targets.write_seeks.distances = 8;
  targets.write_seeks.glance_error_ms = 0.050;
  targets.write_seeks.error_ms = 0.015;
  targets.write_seeks.still_error_ms = 0.010;
  // Of each of up to three that make an overhead.
  targets.overheads.target_error_ms = 0.003;
  targets.overheads.hits = 16;
  targets.overheads.tracks = 8;
  targets.watermark.reads = 36;
  return targets;
}

}  // namespace

double slowness(double period_ns) {
  constexpr double kOf10000_ns = 6e6, kMost = 2;
  return std::clamp(period_ns / kOf10000_ns, 1.0, kMost);
}

// A point's error is one among many. What a line between points is off by, and what decides of what
// a write waits for, stays: it is no mean.
Targets targets_of(const Context& context) {
  if (context.precision == Precision::high) return {};
  Targets targets = enough();
  if (context.rotation.numerator_ns == 0) return targets;
  for (double* error_ms :
       {&targets.seeks.target_error_ms, &targets.seeks.command_error_ms,
        &targets.seeks.compared_error_ms, &targets.seeks.grid_error_ms,
        &targets.switches.target_error_ms, &targets.switches.supply_error_ms,
        &targets.switches.constant_error_ms, &targets.write_seeks.glance_error_ms,
        &targets.write_seeks.error_ms, &targets.overheads.target_error_ms})
    *error_ms *= slowness(context.period_ns());
  return targets;
}

}  // namespace platter::mtbrc
