// DiskSim's layout type dm_layout_g1 (zones of equal tracks, eleven sparing schemes, three mapping
// schemes) as a Layout of nested repeats and skips.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/libparam.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// `layout` is the block of type dm_layout_g1; what could not be taken over is appended to `notes`.
// Where DiskSim's LBN-to-PBN code contradicts its PBN-to-LBN code (schemes 2, 5 and 6) or does
// nothing (scheme 0), the scheme is taken at its documented meaning; docs/model.md has the list.
// Throws Error(bad_input) with file and line.
model::Layout import_g1_layout(const Block& layout, std::uint32_t heads,
                               std::vector<std::string>& notes);

}  // namespace platter::emit_disksim
