// Accesses that the cache served: which they are, and what their times tell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/evidence.h"

namespace platter::estimate {

// A first, coarse division: what takes longer than this share of a turn was no hit (DIXtrac, 4.3).
inline constexpr double kHit_rev = 0.25;
inline constexpr std::size_t kFewestHits = 8;

struct HitTimes {
  std::vector<double> blocks, ms;
  double reach_ms = 0;  // of the smallest: later ones were taken for accesses to the media

  bool has(std::uint32_t size) const;
  std::vector<double> of_size(std::uint32_t size) const;
};

// By what they are and what came before them.
struct Hits {
  std::array<std::optional<HitTimes>, 4> kinds;

  // nullopt: none, or so few that it may be by chance.
  const std::optional<HitTimes>& of(bool write, bool after_write) const {
    return kinds[(write ? 2 : 0) + (after_write ? 1 : 0)];
  }
};

Hits estimate_hits(const Evidence& evidence);

// ms for each block: the slope of hit time over blocks, of reads after reads or of writes after
// writes.
model::Parameter transfer_of_hits(const Hits& hits, bool write);
// What the data of the blocks beyond the first take on the bus, as far as hits of reads told it.
double bus_time_beyond_first_ms(const Hits& hits, std::uint32_t blocks);

// What hits deviate from the line of their kind over their blocks: the host's delay, the bus's, the
// drive's electronics'. nullopt: fewer than 100 hits.
std::optional<model::DelaySpread> estimate_delay_spread(const Hits& hits);

}  // namespace platter::estimate
