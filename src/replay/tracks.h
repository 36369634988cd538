// A drive's tracks for workloads that ask for them.
#pragma once

#include "engine/layout_map.h"
#include "trace/workload.h"

namespace platter::replay {

// From the first LBN on the track, or behind its first sector without one, to the last before the
// next track.
trace::TrackOf tracks_of(engine::LayoutMap map);

}  // namespace platter::replay
