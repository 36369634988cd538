// Distributions compared through their raw samples: quantiles, the demerit figure, and errors
// folded into one revolution. No bins anywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace platter::statistics {

double mean(std::span<const double> samples);  // 0 of no samples

// The quantile of sorted samples at 0 <= share <= 1, linear between the samples' places
// share * (n - 1). 0 of no samples.
double quantile(std::span<const double> sorted, double share);

// Ruemmler & Wilkes, "An introduction to disk drive modeling", 1994: the root mean square of the
// horizontal distance between two cumulative distributions, in the samples' unit. Both sorted; the
// distance is integrated exactly over the two step functions, so their sizes may differ (with equal
// sizes it is the RMS difference of the i-th smallest of each). 0 if either is empty.
double demerit(std::span<const double> sorted_a, std::span<const double> sorted_b);

// value modulo period, within [-period/2, period/2].
double fold(double value, double period);

// The sample to which all others are nearest around the circle (sum of absolute distances), in
// [-period/2, period/2]. Robust: a minority of outliers does not move it. 0 of no samples.
double circular_median(std::span<const double> samples, double period);

// The demerit of distribution.h, of samples that come one after another.
// Of sorted samples that calls of next_a() and next_b() give in their order, as many as there are.
// Of no samples on one side none of the other is asked for.
template <class NextA, class NextB>
double demerit(NextA&& next_a, std::size_t count_a, NextB&& next_b, std::size_t count_b) {
  if (count_a == 0 || count_b == 0) return 0;
  const auto size_a = static_cast<double>(count_a), size_b = static_cast<double>(count_b);
  double squares = 0, share = 0, value_a = next_a(), value_b = next_b();
  for (std::size_t a = 0, b = 0;;) {
    // Both steps last until the nearer of their ends; compared as a cross product, exactly.
    const std::size_t end_a = (a + 1) * count_b, end_b = (b + 1) * count_a;
    const double end = static_cast<double>(std::min(end_a, end_b)) / (size_a * size_b);
    const double gap = value_a - value_b;
    squares += gap * gap * (end - share);
    share = end;
    if (end_a <= end_b) ++a;
    if (end_b <= end_a) ++b;
    if (a == count_a || b == count_b) return std::sqrt(squares);
    if (end_a <= end_b) value_a = next_a();
    if (end_b <= end_a) value_b = next_b();
  }
}

}  // namespace platter::statistics
