// The tracks of a recipe: zones as nested repeats, their angles, and all tracks in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "model/drive_model.h"
#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_layout.h"

namespace platter::virtual_drive {

struct PlacedTrack {
  std::uint64_t first_slot = 0;
  std::uint32_t cylinder = 0, sectors = 0;
  std::uint16_t head = 0;
};

struct Geometry {
  std::vector<model::LayoutNode> zones;
  std::vector<PlacedTrack> tracks;
  // A band that reaches into the next zone belongs to the zone where it begins.
  std::vector<std::size_t> zone_tracks;  // first track of each zone, and the number of all tracks
  std::uint32_t tracks_of_run = 1;       // of a cylinder; of a band on one surface

  std::uint64_t slots() const { return tracks.back().first_slot + tracks.back().sectors; }
};

Geometry make_geometry(const Recipe& recipe, Dice& dice);

}  // namespace platter::virtual_drive
