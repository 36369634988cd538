// Distributions compared through their raw samples: quantiles, the demerit figure, and errors
// folded into one revolution. No bins anywhere.
#pragma once

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

}  // namespace platter::statistics
