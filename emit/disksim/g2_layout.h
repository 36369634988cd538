// DiskSim's layout type dm_layout_g2 (every run of blocks in a map file, skews of zones) as a
// Layout of nested repeats, skips and remaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/libparam.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

struct G2Layout {
  model::Layout layout;
  std::uint32_t cylinders = 0, heads = 0;  // as the map file says
};

// `layout` is the block of type dm_layout_g2; its map file is sought beside the file that names it,
// then in `top_folder`. The drive has no block from `block_count` on (0: the map says how many).
// The angle grows by a skew from each track to the next in the order of blocks. DiskSim's own code
// forgets the zone's skew on most cylinders, which is noted. Throws Error(bad_input)
// with file and line.
G2Layout import_g2_layout(const Block& layout, std::int64_t block_count,
                          const std::string& top_folder, std::vector<std::string>& notes);

}  // namespace platter::emit_disksim
