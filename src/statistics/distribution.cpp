#include "statistics/distribution.h"

#include <limits>
#include <numeric>
#include <vector>

namespace platter::statistics {

double mean(std::span<const double> samples) {
  if (samples.empty()) return 0;
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
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

namespace {

// Sums of distances around a circle, from sorted places and the sums of all before each: on a
// circle cut open opposite to a place, those on its one side are below it, the others above.
class SumsAround {
 public:
  SumsAround(std::span<const double> samples, double period)
      : period_(period), count_(samples.size()) {
    for (const double sample : samples) places_.push_back(fold(sample, period));
    std::ranges::sort(places_);
    // Three turns, so that half a turn to either side of the middle one is there.
    for (std::size_t i = 0; i < 2 * count_; ++i) places_.push_back(places_[i] + period);
    sums_.push_back(0);
    for (const double place : places_) sums_.push_back(sums_.back() + place);
  }

  double of_distances_to(double sample) const {
    const double here = fold(sample, period_) + period_;
    const std::size_t from = index_of(here - period_ / 2), at = index_of(here);
    const std::size_t to = from + count_;
    return here * (static_cast<double>(at - from) - static_cast<double>(to - at)) -
           (sums_[at] - sums_[from]) + (sums_[to] - sums_[at]);
  }

 private:
  std::size_t index_of(double place) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(places_, place) - places_.begin());
  }

  double period_;
  std::size_t count_;
  std::vector<double> places_{}, sums_{};
};

}  // namespace

double circular_median(std::span<const double> samples, double period) {
  if (samples.empty()) return 0;
  const SumsAround around(samples, period);
  // What sums differ by in rounding alone decides nothing: of two in the middle it is the first.
  const double rounding = 1e-13 * period * static_cast<double>(samples.size());
  double median = samples.front(), least = std::numeric_limits<double>::infinity();
  for (const double candidate : samples) {
    const double sum = around.of_distances_to(candidate);
    if (sum < least - rounding) {
      least = sum;
      median = candidate;
    }
  }
  return fold(median, period);
}

}  // namespace platter::statistics
