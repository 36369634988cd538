// From the zones that were found to the model's layout: nested repeats of track runs, spares as
// repeated skips, remapped blocks.
#pragma once

#include "layout/mapper.h"
#include "model/drive_model.h"

namespace platter::layout {

// Tracks that lie in the cylinders where a zone begins and ends are part of it even if they hold no
// block, and so are tracks where only remapped blocks were found.
model::Layout compile(Mapper& mapper);

// Sorted, disjoint ranges as skips: three or more of the same length at a constant stride are one.
std::vector<model::Skip> skips_of(const std::vector<SlotRange>& ranges);

}  // namespace platter::layout
