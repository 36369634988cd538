// A layout compiled into flat arrays: the tree as a list of nodes, skips, remaps and the indices
// over them. The rules of what a layout may be live here, for models and for files alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/flat_tables.h"
#include "model/drive_model.h"

namespace platter::engine {

struct LayoutArrays {
  FlatLayout totals{};
  std::vector<FlatNode> nodes;
  std::vector<FlatSkip> skips;
  std::vector<FlatRemap> remaps_by_lbn, remaps_by_slot;
  std::vector<std::uint32_t> zone_index, skip_lbn_index, skip_slot_index;

  LayoutView view() const;
};

// Throws Error(bad_input) for a layout that is empty, overlaps itself, or has indices out of range.
LayoutArrays compile_layout(const model::Layout& layout);

// What is wrong with a compiled layout of unknown origin, to follow "its layout"; nullopt: nothing.
// One that passes is what compile_layout makes of some layout, to the last byte.
std::optional<std::string> layout_defect(const LayoutView& layout);

}  // namespace platter::engine
