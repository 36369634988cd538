// The angles of every track of a layout whose structure is known, from reads of sectors, relative
// to a reference sector. What is seen is the end of a sector plus a constant (bus, host); the
// constant cancels against the reference, the end is turned into the beginning by the track's
// number of sectors. (Wong 2019, "angular position"; DIXtrac's g4 tools calibrate skews locally and
// let errors add up.) Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/phase_drift.h"
#include "estimate/samples.h"
#include "estimate/zone_fit.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::estimate {

struct LayoutAngles {
  model::Layout layout;     // with angles; zones split where their rule changes
  bool complete = false;    // every zone has all its angles
  double residual_rev = 0;  // robust spread of single track measurements about the layout
  std::vector<double> zone_error_rev;  // by zone: standard error of a track's angle
  model::Notes notes;
};

// From kept samples, for a layout whose zones are split already; `left_out`: blocks that could not
// be read.
LayoutAngles estimate_layout_angles(const Samples& samples, const model::Rotation& rotation,
                                    const model::Layout& layout,
                                    const std::vector<LbnRange>& left_out = {});

// What the reads of each track say about where its first slot begins. Samples of experiment angle
// that follow one another on a track make one observation.
std::vector<TrackAngle> observe_tracks(const Samples& samples, const model::Rotation& rotation,
                                       const engine::LayoutMap& map, const PhaseDrift& drift);

// Of a track, from where some reads of its sectors have its beginning; each scatters by
// `noise_rev`. Where they scatter by far more, the track has a defect within that the map does not
// know, and its beginning is as unsure as they are.
TrackAngle angle_of_reads(std::uint64_t track_slot, const std::vector<double>& angles_rev,
                          double noise_rev);
// Of tracks those that lie in the zone.
std::vector<TrackAngle> within(const std::vector<TrackAngle>& all, const ZoneShape& shape);
// Worst standard error over tracks with LBNs all over the zone.
double zone_error_rev(const ZoneShape& shape, const ZoneFit& fit);

}  // namespace platter::estimate
