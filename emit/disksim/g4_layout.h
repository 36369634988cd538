// DiskSim's layout type dm_layout_g4 (a tree of indices over track patterns, slips, remaps; what
// DIXtrac of 2003 and later writes) as a Layout of nested repeats, skips and remaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/libparam.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// `layout` is the block of type dm_layout_g4; the drive has no block from `block_count` on (0: the
// layout says how many). What DiskSim itself takes in another way is appended to `notes`: it loses
// blocks of patterns that do not begin with sector 0, and knows no angle for what is remapped to a
// sector without a number of its own. Throws Error(bad_input) with file and line.
model::Layout import_g4_layout(const Block& layout, std::int64_t block_count,
                               std::vector<std::string>& notes);

}  // namespace platter::emit_disksim
