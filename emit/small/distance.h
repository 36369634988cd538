// How far two tables are from each other, over all distances and all blocks.
#pragma once

#include <cstdint>

#include "engine/layout_map.h"
#include "engine/tables.h"

namespace platter::emit_small {

// Largest difference of a seek, of all kinds of seeks, over every distance of the drive.
Nanoseconds farthest_seek_ns(const engine::Tables& one, const engine::Tables& other);

struct MapDistance {
  std::uint32_t cylinders = 0;  // largest difference of a block's cylinder
  double in_phase_share = 1;    // blocks whose angles are within 1/32 of a revolution
};

// Every block is looked at, track by track. Of maps of as many blocks.
MapDistance distance(const engine::LayoutMap& one, const engine::LayoutMap& other);

// Of so many blocks, evenly over the drive: the mean difference of the cylinders too.
struct Glance {
  double mean_cylinders = 0, in_phase_share = 1;
};
Glance glance(const engine::LayoutMap& one, const engine::LayoutMap& other, std::uint64_t blocks);

// Of the turns x = from, from + step, ... (so many of them, modulo 2^64): how many are less than
// `width`, at most 2^63. The step is signed.
std::uint64_t passing(std::uint64_t from, std::int64_t step, std::uint64_t turns,
                      std::uint64_t width);

}  // namespace platter::emit_small
