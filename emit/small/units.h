// A layout as units in a row: zones of the model, or several whose cylinders cannot be told apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emit/small/spares.h"
#include "engine/layout_map.h"
#include "model/drive_model.h"

namespace platter::emit_small {

struct Unit {
  std::size_t first_zone = 0, zones = 0;  // of the model
  Slots slots{};
  std::uint64_t first_lbn = 0, blocks = 0;  // remaps ignored
  std::int32_t first_cylinder = 0, last_cylinder = 0;
};

// In the order of LBNs, their cylinders disjoint and all in one direction. None without blocks.
std::vector<Unit> units_of(const model::Layout& layout, const engine::LayoutMap& map);

// Neighbours put together until there are `most` groups: always those whose blocks then lie the
// least far from their cylinders if the cylinders follow one another evenly. Numbers of the first
// unit of each group.
std::vector<std::size_t> groups_of(const std::vector<Unit>& units, std::size_t most);

}  // namespace platter::emit_small
