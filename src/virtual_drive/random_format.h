// What a format leaves of the tracks of a recipe: spares, reserved areas, slipped defects, and
// blocks that were reassigned later. All in ranges of slots, so that large drives are quick to
// make.
#pragma once

#include <cstdint>
#include <vector>

#include "model/drive_model.h"
#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_geometry.h"
#include "virtual_drive/random_layout.h"

namespace platter::virtual_drive {

struct SlotRange {
  std::uint64_t first = 0, end = 0;  // end exclusive
};

struct Formatted {
  std::vector<SlotRange> holes;        // slots that no block of the sequence uses; merged
  std::vector<model::Remap> remaps;    // by LBN
  std::vector<std::uint64_t> primary;  // bad sectors that were slipped
  std::vector<std::uint64_t> grown;    // places of the remapped blocks
  std::uint64_t whole_tracks = 0;      // given up
};

Formatted format(const Recipe& recipe, const Geometry& geometry, Dice& dice);

// Ranges that come again at a constant stride become one skip.
std::vector<model::Skip> compact(const std::vector<SlotRange>& holes);

}  // namespace platter::virtual_drive
