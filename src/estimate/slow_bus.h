// The bus time of a block where no cache hit tells it: a bus slower than the media makes reads of
// several blocks end late (watermark.h takes them).
#pragma once

#include "engine/layout_map.h"
#include "estimate/samples.h"

namespace platter::estimate {

// ms for each block, from reads of all sizes about as long as a third of a track. The share of a
// read that is in the buffer when sending begins (the high watermark) is not known either: it is
// told apart by zones of several densities, and what it leaves unsure is in the error. Absent where
// the bus does not show, since it keeps up with the media. Pure.
model::Parameter estimate_slow_bus(const Samples& samples, const engine::LayoutMap& map,
                                   const model::Rotation& rotation);

}  // namespace platter::estimate
