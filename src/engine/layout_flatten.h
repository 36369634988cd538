// The tree of a model's layout as flat arrays: nodes level by level, many runs side by side as
// lists. Nothing is summed up yet.
#pragma once

#include <vector>

#include "engine/flat_tables.h"
#include "engine/run_arrays.h"
#include "model/drive_model.h"

namespace platter::engine {

struct FlatTree {
  std::vector<FlatNode> nodes;
  std::vector<FlatExtent> extents;  // counts alone
  std::vector<FlatTrack> tracks;
  RunArrays runs;
  std::uint32_t roots = 0;
};

// Few nodes stay nodes: they are looked up a little quicker than runs in lists, and their angles
// are not rounded. More than so many no longer lie near a processor together.
constexpr std::size_t kFewNodes = 1024;

// Throws Error(bad_input) for what no node can hold. Layouts of more than `few` nodes have lists.
FlatTree flatten(const std::vector<model::LayoutNode>& zones, std::size_t few);

[[noreturn]] void bad_layout(const std::string& what);

}  // namespace platter::engine
