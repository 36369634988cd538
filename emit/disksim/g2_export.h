// A Layout as DiskSim's layout type dm_layout_g2, which names every run of blocks: the way back of
// g2_layout.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/track_stretches.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// Cylinders with equal tracks, whose angles follow from the first one's by one skew for each switch
// of tracks and one for each switch of cylinders.
struct G2Band {
  std::uint32_t first_cylinder = 0, last_cylinder = 0, sectors = 0;
  std::uint64_t first_lbn = 0, last_lbn = 0;
  double skew_rev = 0, track_skew_rev = 0, cylinder_skew_rev = 0;  // from 0 to 1
};

struct G2Export {
  std::vector<G2Band> bands;
  std::vector<TrackStretch> stretches;  // the map's lines
  std::uint64_t blocks = 0;
  std::uint32_t cylinders = 0, heads = 0;
  double turned_rev = 0;  // how far the platter was turned, so that its first track begins at 0
};

// Without the remaps, which to DiskSim would be changes of the cylinder. `cylinders`, `heads`: the
// drive's, or more; `tolerance_rev`: how far the angle of a track may be from where the skews put
// it. Throws Error(unsupported) that says what DiskSim cannot express.
G2Export express_as_g2(const model::Layout& layout, std::uint32_t cylinders, std::uint32_t heads,
                       double tolerance_rev);

// The layout turned as the G2Export is.
model::Layout turned(model::Layout layout, double rev);

std::string g2_text(const G2Export& layout, const std::string& map_file);
// The map's lines from the third on; the first two are free text.
std::string g2_map_text(const G2Export& layout);

}  // namespace platter::emit_disksim
