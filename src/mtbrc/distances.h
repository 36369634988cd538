// A measure of how far blocks are apart where no map is known: tracks of as many blocks as pass the
// heads in a revolution while a file is read, all alike, one behind the other. Nothing is said of
// where a real track begins, nor of angles.
#pragma once

#include <memory>

#include "engine/layout_map.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

// So many as come in a revolution where the drive is slowest of some places; whatever holds reads
// up makes it less. Caches on.
std::uint32_t blocks_in_a_turn(Context& context);

std::shared_ptr<const engine::LayoutMap> map_of_distances(std::uint64_t blocks,
                                                          std::uint32_t track_blocks);

}  // namespace platter::mtbrc
