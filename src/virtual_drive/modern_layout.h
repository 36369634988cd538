// Layouts of drives of today from a recipe: bands of tracks that stay on one surface, then on the
// next, each surface with borders of zones of its own (adaptive zoning) and often with a pitch of
// its own, skews in whole servo wedges, tracks that lack sectors. docs/virtual-drives.md names what
// was published of such drives.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "virtual_drive/random_dice.h"

namespace platter::virtual_drive {

struct ModernSurface {
  double density = 1;  // along its tracks, against the recipe's sizes
  double pitch = 1;  // its tracks for each cylinder: 1 on the surface with the finest, at least ½
};

// The four that Wong 2019 calls FF, FA, AF and AA.
struct Serpentine {
  bool surfaces_alternate = false;  // up and down in turn, else always from the first one upwards
  bool bands_alternate = false;     // inwards and outwards in turn, else always inwards
};

// Of each kind so many; a hole lies anywhere on its track.
struct Irregularities {
  std::uint32_t tracks = 0;   // 70 % lack 1 to 8 sectors, 20 % up to 90 % of all, 10 % every one
  std::uint32_t singles = 0;  // single sectors besides
};

struct ModernRecipe {
  std::vector<ModernSurface> surfaces;
  Serpentine serpentine;
  std::uint32_t band = 300;  // tracks of a band, at a pitch of 1
  std::uint32_t bands = 0;   // of all surfaces together; the last round may be a part of one
  std::uint32_t sectors = 0, last_sectors = 0;  // a track outermost and innermost, at a density of
                                                // 1
  std::uint32_t formats = 0;  // sizes that a track may have, evenly from the largest to the
                              // smallest
  std::uint32_t blocks_of_sector = 1;  // that are written, or lost, together: 8 of a 512e drive
  double formats_used = 1;             // share of them that a surface has zones of
  std::uint32_t border_rounds = 1;  // zones begin with every so manieth round; 0: at any cylinder
  // Wedges from the start of a track to that of the next: within a band (from the outermost part of
  // the drive to the innermost), to the next band, to the next round.
  std::uint32_t wedges = 384;
  std::vector<std::uint32_t> track_skews{30};
  std::uint32_t head_skew = 120, round_skew = 200;
  Irregularities irregularities;
};

struct ModernLayout {
  model::Layout truth;  // angles too
  std::uint64_t tracks = 0;
  std::uint32_t zone_borders = 0;  // of all surfaces
  std::uint32_t border_radii = 0;  // different ones among them
  std::string description;         // one line
};

// The same recipe and generator state give the same layout.
ModernLayout build_modern(const ModernRecipe& recipe, std::mt19937_64& random);

// Adaptive zoning: which sizes the tracks of one surface have, and from which cylinder on.
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
