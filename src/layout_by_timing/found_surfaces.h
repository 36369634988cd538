// How the order of bands on a drive's surfaces was measured (surface_finder.h), and what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout_by_timing/order_beliefs.h"

namespace platter::layout_by_timing {

struct FoundSurfaces {
  OrderBeliefs::Best best;
  std::vector<double> chances_of_heads;  // index: the number
  std::vector<std::uint64_t> bands;      // by run: its (first) band's number in the order
  bool tracks = false;                   // a band is a track, for runs are cylinders
  bool told = false;  // by what the drive says of its places, else by the times of moves
  // Groups that know nothing of one another say the same, though none explains much of its times.
  bool agreed = false;
  double tracks_a_band = 1;
  double contrast_rev = 0;  // a switch of heads takes so much more, or less, than a step
  std::size_t moves = 0;    // that were timed, or told
  // Groups of bands that were looked at; of these the neighbours between which the count of bands
  // shifts somewhere.
  std::size_t groups = 0, shifts = 0;
};

}  // namespace platter::layout_by_timing
