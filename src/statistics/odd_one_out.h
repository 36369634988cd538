// Which of some things of one kind does not belong to the others: each against the rest, with the
// chance that one of the kind lies so far out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "statistics/robust.h"

namespace platter::statistics {

// Below so many values nothing is said: of fewer others the spread is not known at all.
constexpr std::size_t kFewestAlike = 5;

// Spread of one sample by its pairs' differences, as the standard deviation of a Gaussian bulk: Qn
// of Rousseeuw and Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993, with
// their corrections for few values. As robust as the MAD (half of the values may be anything), and
// of 82 % efficiency at the Gaussian, where the MAD has 37 %. 0 below 2 values.
double pairwise_spread(std::span<const double> values);

// Of Student's t with so many degrees of freedom (not necessarily whole), the chance to be farther
// from 0, on either side, than t.
double student_chance(double t, double freedom);

// Degrees of freedom that pairwise_spread() of so many Gaussian values has: those of the chi that
// varies as much in its logarithm. 0.72 n - 1.9, measured by drawing 200,000 to 2 million samples
// of each size from 5 to 79 (tests/statistics has the measurement again); at least 1.
double freedom_of_spread(std::size_t values);

// How one value stands among the others.
struct Standing {
  double typical = 0;      // the others' median
  double spread = 0;       // of one value about it; 0: the others are alike
  std::size_t others = 0;  // there are
  std::size_t alike = 0;   // of them, those that equal the typical one
  double chance = 1;       // that one of their kind lies so far out
};

enum class Side : std::uint8_t { both, above, below };  // which is looked for

// Of each value; `error` is its own standard error, 0 where none is stated. The spread is that of
// the others, never below their median error; what the value's own error has beyond that is added,
// and the median's error. Where the others are alike and state no errors, `chance` is that of the
// sign test (statistics of a fact): that so few others deviate, though half of their kind does.
// Empty below kFewestAlike values.
std::vector<Standing> standings(std::span<const Estimate> values, Side side = Side::both);

// Chances as they count among so many looks: Holm, "A Simple Sequentially Rejective Multiple Test
// Procedure", Scand. J. Statistics 6, 1979. What stays below a level here is found with that chance
// of any false alarm at all among the looks, however they depend on each other.
std::vector<double> chances_among_all(std::span<const double> chances);

}  // namespace platter::statistics
