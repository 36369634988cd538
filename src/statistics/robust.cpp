#include "statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/distribution.h"

namespace platter::statistics {
namespace {

constexpr double kMadToSigma = 1.4826;

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

Estimate mean_difference(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] - b[i];
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a[i] - b[i] - sum / n) * (a[i] - b[i] - sum / n);
  return {sum / n, std::sqrt(squares / (n - 1) / n), a.size()};
}

Estimate weighted_mean(std::span<const Estimate> values) {
  double weights = 0, sum = 0;
  std::size_t samples = 0;
  for (const Estimate& value : values) {
    const double weight = 1 / (value.error * value.error);
    weights += weight;
    sum += weight * value.value;
    samples += value.samples;
  }
  return {sum / weights, 1 / std::sqrt(weights), samples};
}

Estimate midpoint(const Estimate& a, const Estimate& b) {
  return {(a.value + b.value) / 2, std::hypot(a.error, b.error) / 2, a.samples + b.samples};
}

double quantile_of(std::span<const double> values, double share) {
  return quantile(sorted_copy(values), share);
}

double median(std::span<const double> values) { return quantile_of(values, 0.5); }

double mad_sigma(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (double value : values) deviations.push_back(std::abs(value - centre));
  return kMadToSigma * median(deviations);
}

double clipped_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  constexpr double kFar = 4;  // MAD sigmas
  const double centre = median(values), farthest = kFar * mad_sigma(values);
  double sum = 0, squares = 0, count = 0;
  for (double value : values) {
    const double deviation = value - centre;
    if (std::abs(deviation) > farthest) continue;
    sum += deviation;
    squares += deviation * deviation;
    count += 1;
  }
  if (count < 2) return 0;
  return std::sqrt(std::max(squares - sum * sum / count, 0.0) / (count - 1));
}

std::optional<Estimate> median_estimate(std::span<const double> values) {
  if (values.size() < 3) return std::nullopt;
  const std::vector<double> sorted = sorted_copy(values);
  const auto n = static_cast<double>(sorted.size());
  const double sigmas = std::min(2.0, 0.9 * std::sqrt(n));
  const double half = 0.5 * sigmas / std::sqrt(n);
  const double width = quantile(sorted, 0.5 + half) - quantile(sorted, 0.5 - half);
  // Interpolated ranks of a small sample lie n/(n-1) too close together.
  const double error = 0.5 * width / sigmas * n / (n - 1.0);
  return Estimate{quantile(sorted, 0.5), error, sorted.size()};
}

std::optional<Estimate> huber_location(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  double location = median(values);
  const double scale = mad_sigma(values);
  const auto n = static_cast<double>(values.size());
  if (scale <= 0) {  // more than half of the values are equal
    double squares = 0;
    for (double value : values) squares += (value - location) * (value - location);
    const double spread = std::sqrt(squares / (n - 1.0));
    return Estimate{location, std::min(spread, quantile_of(values, 0.84) - location) / std::sqrt(n),
                    values.size()};
  }
  double psi_squares = 0;
  double inside = 0;
  for (int round = 0; round < 50; ++round) {
    double psi_sum = 0;
    psi_squares = inside = 0;
    for (double value : values) {
      const double z = (value - location) / scale;
      const double psi = std::clamp(z, -kHuber, kHuber);
      psi_sum += psi;
      psi_squares += psi * psi;
      inside += std::abs(z) <= kHuber ? 1.0 : 0.0;
    }
    const double step = scale * psi_sum / std::max(inside, 1.0);
    location += step;
    if (std::abs(step) < 1e-9 * scale) break;
  }
  const double error = scale * std::sqrt(psi_squares / (n - 1.0)) / (std::max(inside, 1.0) / n) /
                       std::sqrt(n);
  return Estimate{location, error, values.size()};
}

}  // namespace platter::statistics
