// A layout g1 walked as DiskSim does: from block to place by one of its functions, from the place's
// track to that track's first and last block by another. Where the two contradict each other
// DiskSim turns on the track without ever seeing the block.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace platter::emit_disksim_check {

// As "Sparing scheme used" counts them.
enum Scheme : std::int64_t {
  kTracks = 1,
  kPerCylinder = 2,
  kPerTrack = 3,
  kCylinderToEnd = 4,
  kCylinderFront = 5,
  kCylinderFrontToEnd = 6,
  kAtEnd = 7,
  kRange = 8,
  kZone = 9,
  kZoneToEnd = 10
};

struct G1Zone {
  std::int64_t first = 0, last = 0, sectors = 0, spares = 0, dead = 0, blocks = 0;
  std::vector<std::int64_t> slips{};                             // in the order of the file
  std::vector<std::pair<std::int64_t, std::int64_t>> defects{};  // and where each is remapped to
};

struct G1Drive {
  std::int64_t scheme = 0, range = 1, surfaces = 0, cylinders = 0;
  std::vector<G1Zone> zones{};
};

// Blocks that DiskSim stops at when it is to read or write them, first to last, and why.
struct BadBlocks {
  std::int64_t first = 0, last = 0;
  std::string why{};
};

// In ascending order, some 10,000 at most; zones must have sectors and cylinders. Costs some steps
// for each track and slip.
std::vector<BadBlocks> walk_g1(const G1Drive& drive);

// Whether a block is elsewhere than it would be if the zone's slips stood in order: of those near
// the slips, and of those that begin tracks.
bool is_moved_by_order(const G1Zone& zone, const G1Drive& drive);
// How many slips are passed, at most, to tell that.
std::int64_t cost_of_order(const G1Zone& zone);

}  // namespace platter::emit_disksim_check
