// Where a shingled drive has blocks away from home, by reads alone: a probe every few MB, of the
// sector that passes next, so that most take no turn of the platter. A block is at home where it
// ends at the map's angle and in time; it is away where it never comes in the time that the arm
// needs for blocks nearby, whatever its angle.
#pragma once

#include <cstdint>
#include <vector>

#include "model/drive_model.h"
#include "model/lbn_range.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct DisplacedExtents {
  std::vector<LbnRange> extents;  // their ends to 64 KiB
  std::uint64_t from_blocks = 0;  // none so long lies between two probes
  std::vector<LbnRange> untold;   // near their places, and not at the map's angle; or not read
};

// Drive time that this takes, by what probes of drives of today take.
double displaced_extents_s(double bytes);

// The context's map has its angles, reads reach the media; the model has the seeks. Where the
// deadline leaves less than all of it needs, probes lie further apart.
DisplacedExtents find_displaced_extents(Context& context, const model::DriveModel& model);

}  // namespace platter::mtbrc
