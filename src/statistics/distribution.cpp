#include "statistics/distribution.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "statistics/demerit.h"

namespace platter::statistics {

double mean(std::span<const double> samples) {
  if (samples.empty()) return 0;
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double root_mean_square(std::span<const double> samples) {
  if (samples.empty()) return 0;
  double squares = 0;
  for (const double sample : samples) squares += sample * sample;
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

double quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 == sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double demerit(std::span<const double> sorted_a, std::span<const double> sorted_b) {
  std::size_t a = 0, b = 0;
  return demerit([&] { return sorted_a[a++]; }, sorted_a.size(), [&] { return sorted_b[b++]; },
                 sorted_b.size());
}

double fold(double value, double period) { return std::remainder(value, period); }

double circular_median(std::span<const double> samples, double period) {
  double median = 0, least = std::numeric_limits<double>::infinity();
  for (const double candidate : samples) {
    double sum = 0;
    for (const double sample : samples) sum += std::abs(fold(sample - candidate, period));
    if (sum < least) {
      least = sum;
      median = candidate;
    }
  }
  return samples.empty() ? 0 : fold(median, period);
}

}  // namespace platter::statistics
