// Tests of fit: how likely so large a deviation is by chance alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace platter::testing {

// Kolmogorov and Smirnov's, of one sample and a continuous distribution, asymptotically (Stephens
// 1970 for the correction by the sample's size).
template <typename Distribution>
double p_of_kolmogorov_smirnov(std::vector<double> samples, Distribution distribution) {
  std::ranges::sort(samples);
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double share = distribution(samples[i]);
    distance = std::max(
        {distance, static_cast<double>(i + 1) / n - share, share - static_cast<double>(i) / n});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double p = 0;
  for (int k = 1; k <= 100; ++k)
    p += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * lambda * lambda * k * k);
  return std::clamp(lambda < 0.2 ? 1.0 : p, 0.0, 1.0);
}

// Pearson's, by Wilson and Hilferty's normal approximation (1931).
inline double p_of_chi_squared(std::span<const double> found, std::span<const double> expected,
                               double freedom) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    sum += (found[i] - expected[i]) * (found[i] - expected[i]) / expected[i];
  const double spread = 2 / (9 * freedom);
  const double deviation = (std::cbrt(sum / freedom) - (1 - spread)) / std::sqrt(spread);
  return std::erfc(deviation / std::sqrt(2.0)) / 2;
}

}  // namespace platter::testing
