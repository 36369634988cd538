// The interval of a share that was seen in a number of trials.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace platter::statistics {

struct ShareInterval {
  double low = 0, high = 1;
};

// Wilson's 95 % interval (E. B. Wilson, JASA 22, 1927), which holds for few trials and for shares
// near 0 and 1, too. Of no trials anything is possible.
inline ShareInterval share_interval(double share, std::size_t trials) {
  if (trials == 0) return {};
  constexpr double kZ = 1.959964;
  const auto n = static_cast<double>(trials);
  const double shrink = 1 + kZ * kZ / n;
  const double middle = (share + kZ * kZ / (2 * n)) / shrink;
  const double half = kZ / shrink * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace platter::statistics
