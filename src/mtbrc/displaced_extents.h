// Where a shingled drive has blocks away from home, by reads alone: a probe each 8 MiB, of the
// sector that passes next, so that most take no turn of the platter.
#pragma once

#include <vector>

#include "model/drive_model.h"
#include "model/lbn_range.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

// Extents from that length on, and some of the shorter ones; their ends to 64 KiB. What the map has
// at a wrong angle is not one: it must be as far away as the outer edge. The context's map has its
// angles, reads reach the media; the model has the seeks.
std::vector<LbnRange> find_displaced_extents(Context& context, const model::DriveModel& model);

}  // namespace platter::mtbrc
