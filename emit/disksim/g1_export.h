// A Layout as DiskSim's layout type dm_layout_g1: the way back of g1_layout.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/drive_model.h"

namespace platter::emit_disksim {

// Numbers of sectors (of tracks in sparing scheme 1) count from the zone's first, in the order of
// LBNs.
struct G1Zone {
  std::uint32_t first_cylinder = 0, last_cylinder = 0, sectors = 0;
  double offset_rev = 0, track_skew_rev = 0, cylinder_skew_rev = 0;  // from 0 to 1
  std::int64_t dead = 0, spares = 0;
  std::vector<std::int64_t> slips;                             // ascending
  std::vector<std::pair<std::int64_t, std::int64_t>> defects;  // (defect, its replacement)
};

struct G1Layout {
  int mapping = 0, sparing = 9, range_cylinders = 1;  // DiskSim's numbers
  std::vector<G1Zone> zones;
  std::uint64_t blocks = 0;
  double worst_angle_rev = 0;  // the largest difference of a track's angle from the layout's
};

// `tolerance_rev`: how far the angle of a track may be from where equal skews put it; where that
// does not hold, a new zone begins. Of the sparing schemes that DiskSim computes rightly, the one
// with the fewest slips. Throws Error(unsupported) that says what DiskSim cannot express.
G1Layout express_as_g1(const model::Layout& layout, std::uint32_t heads, double tolerance_rev,
                       std::int64_t most_counted);

std::string g1_text(const G1Layout& layout);

}  // namespace platter::emit_disksim
