// Adaptive zoning: which sizes the tracks of one surface have, and from which cylinder on.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_drive/modern_layout.h"
#include "virtual_drive/random_dice.h"

namespace platter::virtual_drive {

struct SurfaceZone {
  std::uint64_t first = 0;  // cylinder
  std::uint32_t sectors = 0;
};
using SurfaceZones = std::vector<SurfaceZone>;  // from the outermost one, at cylinder 0, inwards

// Rounds through all surfaces, the last of which may lack bands.
std::uint32_t rounds_of(const ModernRecipe& recipe);

SurfaceZones draw_zones(const ModernRecipe& recipe, const ModernSurface& surface, Dice& dice);

// The zone that holds a cylinder.
SurfaceZones::const_iterator zone_at(const SurfaceZones& zones, std::uint64_t cylinder);

}  // namespace platter::virtual_drive
