// A layout compiled into flat arrays: the tree as a list of nodes, the pieces of LBNs over its
// slots (lbn_pieces.h) and the indices over both. The rules of what a layout may be live here, for
// models and for files alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/flat_tables.h"
#include "engine/lbn_pieces.h"
#include "model/drive_model.h"

namespace platter::engine {

struct LayoutArrays {
  FlatLayout totals{};
  std::vector<FlatNode> nodes;
  std::vector<FlatTrack> tracks;
  std::vector<FlatExtent> extents;
  std::vector<std::uint64_t> zone_slots;  // padded
  std::vector<std::uint32_t> zone_buckets;
  PieceArrays pieces;

  LayoutView view() const;
};

// Throws Error(bad_input) for a layout that is empty, overlaps itself, or has indices out of range.
LayoutArrays compile_layout(const model::Layout& layout);

// What is wrong with a compiled layout of unknown origin, to follow "its layout"; nullopt: nothing.
std::optional<std::string> layout_defect(const LayoutView& layout);

}  // namespace platter::engine
