// Random drives: zones, orders of tracks, schemes of sparing, slipped and remapped defects, in any
// combination, with the layout that such a drive's format would have left.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::layout::testing {

enum class Order { head_first, serpentine, serpentine_through_zones, surface_serpentine };
enum class Unit { none, track, cylinder, range, zone, disk, cylinder_and_range, whole_tracks };

struct RandomDrive {
  model::Layout truth;
  std::vector<std::uint64_t> primary, grown;  // slots that the defect lists name
  bool track_length_visible = false;          // some track shows its full length in sector numbers
  std::string description;
};

struct Recipe {
  Order order = Order::head_first;
  Unit unit = Unit::none;
  bool spares_in_front = false;
  bool absorbs = true;  // spares of the unit make up for slipped defects
  std::uint32_t defects = 0, remaps = 0;
  std::uint32_t heads = 4, zones = 3, cylinders = 60;  // cylinders: at most, for each zone
  std::uint32_t reserved = 0;                          // slots in front of block 0
  bool gaps = false;                                   // unused cylinders between zones
};

Recipe random_recipe(std::mt19937_64& random);
RandomDrive build(const Recipe& recipe, std::mt19937_64& random);

}  // namespace platter::layout::testing
