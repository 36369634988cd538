#include "mtbrc/targets.h"

namespace platter::mtbrc {
namespace {

// Chosen: a random request takes some ms, and its demerit shows nothing below 0.1 % of that, which
// is about 5 us; errors of single points of a curve differ in sign.
Targets enough() {
  Targets targets;
  targets.angles.target_error_rev = 0.0015;
  targets.angles.reads_per_track = 3;
  targets.angles.random_tracks = 2;
  // Few looks at the spindle's wander would not tell how far angles err by it.
  targets.angles.anchor_every_ns = 350 * kMillisecond;
  targets.passing.fewest_tracks = 2;
  targets.passing.first_tracks = 2;
  targets.passing.of_layout = 24;
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
  targets.watermark.reads = 48;
  return targets;
}

}  // namespace

const Targets& targets_of(Precision precision) {
  static const Targets high{}, less = enough();
  return precision == Precision::high ? high : less;
}

}  // namespace platter::mtbrc
