// A walk: blocks read one after another a fixed number apart, each caught in the revolution in
// which it is asked for. A track costs a revolution and gives 30 to 45 angles; where the tracks
// end, and how long and how far turned the next ones are, shows as jumps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout_by_timing/prober.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {

// Readings that lie on one track: angle = at_rev + (block - of) / around.
struct Piece {
  std::uint64_t first = 0, last = 0;  // blocks read
  double of = 0, at_rev = 0;          // block, and where it ends
  double around = 0;                  // sectors of a revolution, as this piece's own slope says
  double around_error = 0;
  std::size_t readings = 0;

  double end_rev(std::uint64_t block, double with_around) const {
    return at_rev + (static_cast<double>(block) - of) / with_around;
  }
  double start_rev(std::uint64_t block, double with_around) const {
    return statistics::turn_rev(end_rev(block, with_around) - 1.0 / with_around);
  }
};

class Walker {
 public:
  explicit Walker(Prober& prober) : prober_(prober) {}

  // Sectors that pass in a revolution where nothing is known yet, from reads near a block.
  std::optional<double> find_around(std::uint64_t near);
  // How far apart in time reads must be to be caught in the same revolution.
  void find_gap(std::uint64_t near, double around);

  // From a block on, for so many revolutions.
  std::vector<Piece> walk(std::uint64_t from, double around, double revolutions);
  // Whether the second of two neighbouring pieces begins with that block, if both sides are asked.
  bool begins_with(std::uint64_t block, const Piece& before, const Piece& behind,
                   double around_before, double around_behind);
  // The first block of the second of two neighbouring pieces, by single reads in between, both
  // sides read. Of a border between other tracks than theirs: nullopt.
  std::optional<std::uint64_t> border(const Piece& before, const Piece& behind,
                                      double around_before, double around_behind);

 private:
  Prober& prober_;
  double gap_rev_ = 0.03;
};

}  // namespace platter::layout_by_timing
