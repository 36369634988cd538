// On which surfaces a map's bands lie: by moves between their ends, or by what the drive says of
// places; where neither tells, by the order in which bands come again.
#pragma once

#include <vector>

#include "layout_by_timing/mapper.h"
#include "layout_by_timing/run.h"
#include "layout_by_timing/surface_finder.h"
#include "layout_by_timing/to_layout.h"

namespace platter::layout_by_timing {

// Runs follow one another without gaps. Where the pattern is of tracks, they are cut to tracks.
Surfaces surfaces_of_map(Mapper& mapper, std::vector<Run>& runs, SurfaceOptions how);

}  // namespace platter::layout_by_timing
