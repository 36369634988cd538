// A layout compiled into flat arrays: the tree as a list of nodes (layout_flatten.h), the pieces of
// LBNs over its slots (lbn_pieces.h) and the indices over both. The rules of what a layout may be
// live here, for models and for files alike.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/flat_tables.h"
#include "engine/layout_flatten.h"
#include "engine/lbn_pieces.h"
#include "engine/run_arrays.h"
#include "model/drive_model.h"

namespace platter::engine {

struct LayoutArrays {
  FlatLayout totals{};
  std::vector<FlatNode> nodes;
  std::vector<FlatTrack> tracks;
  RunArrays runs;
  std::vector<FlatExtent> extents;
  std::vector<std::uint64_t> root_slots;  // padded
  std::vector<std::uint32_t> root_buckets;
  std::vector<std::uint32_t> root_zones;  // empty: each root is one
  PieceArrays pieces;

  LayoutView view() const;
};

// How many LBNs each piece has: what complete_layout is given.
std::vector<std::uint32_t> piece_blocks(const LayoutView& layout);

// Throws Error(bad_input) for a layout that is empty, overlaps itself, or has indices out of range.
LayoutArrays compile_layout(const model::Layout& layout, std::size_t few_nodes = kFewNodes);

// A layout of unknown origin: fills in everything that follows from the rest. Given are
// totals.roots; of the nodes all but slots, first_slot and reciprocal; the extents' counts; the
// tracks without first_slot; the runs without chunks; of the pieces shifts and stretches, these
// without reciprocals; and how many LBNs each piece has. Returns what is wrong, to follow "its
// layout"; nullopt: nothing, and no look-up leads outside of the arrays.
std::optional<std::string> complete_layout(LayoutArrays& layout,
                                           std::span<const std::uint32_t> piece_blocks);

}  // namespace platter::engine
