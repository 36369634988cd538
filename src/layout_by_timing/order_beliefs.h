// Which order of bands explains what moves between their ends took: each order and each place in it
// where a group of bands may begin, with how likely it is. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "layout_by_timing/band_order.h"
#include "layout_by_timing/move_times.h"

namespace platter::layout_by_timing {

// Moves on one surface, and to another one at the same radius, in revolutions.
struct MoveScale {
  double step_rev = 0;    // to the next track
  double root_rev = 0;    // more for each root of tracks beyond it
  double switch_rev = 0;  // to another surface
  double tracks_a_band = 1;

  double seek_rev(double tracks) const;
};

// What was learnt of two ends: a time, or where address translation has them.
struct Seen {
  BandEnd a, b;  // bands counted from the first one of the group
  std::optional<MoveTime> took;
  std::optional<Apart> told;
};

class OrderBeliefs {
 public:
  // All orders. `first_band`: of the group, as counted so far; another place is less likely.
  explicit OrderBeliefs(std::uint64_t first_band);

  // Another group of bands of the same drive: orders are as likely as they were.
  void begin_group(std::uint64_t first_band, const MoveScale& scale);
  void take(const Seen& seen);

  struct Best {
    BandOrder order;
    std::uint64_t first_band = 0;  // of the group, modulo the order's places
    double heads_chance = 0;       // that so many surfaces there are
    double chance = 0;             // that bands lie on the same surfaces as in this order
    double fit = 0;                // mean log-likelihood of what was seen, against no order
  };
  Best best() const;
  // How likely each number of surfaces is; index: the number.
  std::vector<double> chances_of_heads() const;
  // By how much the likely orders differ in what they foretell of two ends: in revolutions; of ends
  // that are told half as much as 1 where they differ in the surface.
  double dispute(const BandEnd& a, const BandEnd& b, bool told) const;

 private:
  struct Hypothesis {
    BandOrder order;
    std::uint64_t first_band = 0;
    bool adds = false;  // a switch and a seek one after the other, else at the same time
    double log_odds = 0, weight = 0, fit = 0;
  };
  double foretold_rev(const Hypothesis& hypothesis, const Apart& apart) const;
  Apart apart_in(const Hypothesis& hypothesis, const BandEnd& a, const BandEnd& b) const;
  double log_likelihood(const Hypothesis& hypothesis, const Seen& seen) const;
  double fit_without_order() const;
  void weigh();

  std::vector<Hypothesis> hypotheses_;
  MoveScale scale_;
  std::size_t seen_ = 0;
  std::vector<double> took_;  // of this group, in revolutions
};

}  // namespace platter::layout_by_timing
