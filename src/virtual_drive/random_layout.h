// Layouts made from a recipe: the order of tracks, the zones, the scheme of sparing, the defects,
// with what the format of such a drive would have left. docs/virtual-drives.md has the ranges from
// which random recipes are drawn.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::virtual_drive {

// Head first: all tracks of a cylinder from head 0 on. Cylinder serpentine: down one cylinder, up
// the next. Surface serpentine: a band of tracks inward on a surface, as many outward on the next.
enum class Order : std::uint8_t { head_first, cylinder_serpentine, surface_serpentine };

// What has its own spares. In a surface serpentine `cylinder` stands for a band's tracks of one
// surface, `group` for several of those.
enum class Unit : std::uint8_t { track, cylinder, group, zone, disk };

struct Spares {
  Unit unit = Unit::cylinder;
  std::uint32_t count = 1;  // sectors, or tracks, of each unit
  bool whole_tracks = false;
  std::uint32_t group = 2;  // cylinders of a group
  bool in_front = false;    // else behind the blocks
  bool absorbs = false;     // each slip in the unit uses one of them up
};

struct DefectCounts {
  std::uint32_t singles = 0;
  std::uint32_t clusters = 0;      // of 2 to 12 neighbours on a track
  std::uint32_t scratches = 0;     // one sector, or a few, on each of 3 to 60 tracks side by side
  std::uint32_t whole_tracks = 0;  // given up for 1 to 6 bad sectors
};

enum class RemapsTo : std::uint8_t { own_unit, neighbour, last_spares };

struct Recipe {
  Order order = Order::head_first;
  // Cylinder serpentine: the direction goes on from zone to zone, else each zone begins with head
  // 0. Surface serpentine: bands reach over the zones' boundaries, else a zone ends with a short
  // band.
  bool through_zones = false;
  std::uint32_t band = 50;  // surface serpentine: tracks of a surface in a row
  bool heads_turn = false;  // surface serpentine: every other band begins with the last head
  std::uint32_t heads = 4, zones = 8;
  std::uint64_t slots = 1'000'000;                  // about so many sectors of all kinds
  std::uint32_t sectors = 200, last_sectors = 120;  // a track of the first and of the last zone
  bool per_head_sizes = false;                      // each head with its own sectors per track
  bool even_zones = false;                          // zones of about the same number of cylinders
  std::uint32_t first_cylinder = 0;
  bool gaps = false;                        // unused cylinders between zones
  std::uint32_t unused_cylinder_every = 0;  // 0: none; surface serpentine: one behind each band
  std::uint32_t unused_track_every = 0;     // 0: none
  std::uint64_t reserved = 0;               // sectors in front of block 0
  std::uint32_t reserved_in_zones = 0;      // sectors at the start of every other zone
  bool short_ends = false;                  // zones end within a track
  std::vector<Spares> spares;               // small units first; at most one of them absorbs
  DefectCounts defects;
  bool slips_tracks = false;  // a track with a defect is given up as a whole
  std::uint32_t remaps = 0;
  RemapsTo remaps_to = RemapsTo::own_unit;
  // Rev, about, from the start of a track to that of the next where the head changes, and where the
  // cylinder does. 0: drawn for each zone.
  double head_skew = 0, cylinder_skew = 0;
};

struct Limits {
  std::uint64_t least_slots = 20'000, most_slots = 400'000'000;
  std::uint32_t most_defects = 5000;
};

Recipe random_recipe(std::mt19937_64& random, const Limits& limits = {});

struct RandomLayout {
  model::Layout truth;                 // angles too
  std::vector<std::uint64_t> primary;  // slots that the primary defect list names, ascending
  std::vector<std::uint64_t> grown;    // places whose blocks live elsewhere, ascending
  std::uint32_t heads = 0;
  // In every zone some track shows its whole length in sector numbers.
  bool track_length_visible = false;
  std::string description;  // one line
};

// The same recipe and generator state give the same layout.
RandomLayout build(const Recipe& recipe, std::mt19937_64& random);

}  // namespace platter::virtual_drive
