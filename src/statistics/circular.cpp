#include "statistics/circular.h"

#include <vector>

namespace platter::statistics {
namespace {

// The sample with the smallest median distance to the others: the centre of the densest half.
double densest_rev(std::span<const double> angles_rev) {
  constexpr std::size_t kMostCandidates = 64;
  const std::size_t step = angles_rev.size() / kMostCandidates + 1;
  double best = angles_rev.front();
  double best_distance = 1;
  std::vector<double> distances(angles_rev.size());
  for (std::size_t i = 0; i < angles_rev.size(); i += step) {
    for (std::size_t j = 0; j < angles_rev.size(); ++j)
      distances[j] = std::abs(wrap_rev(angles_rev[j] - angles_rev[i]));
    const double distance = median(distances);
    if (distance < best_distance) {
      best_distance = distance;
      best = angles_rev[i];
    }
  }
  return best;
}

}  // namespace

std::optional<Estimate> robust_angle_rev(std::span<const double> angles_rev) {
  if (angles_rev.size() < 2) return std::nullopt;
  const double centre = densest_rev(angles_rev);
  std::vector<double> deviations;
  deviations.reserve(angles_rev.size());
  for (double angle : angles_rev) deviations.push_back(wrap_rev(angle - centre));
  std::optional<Estimate> estimate = huber_location(deviations);
  if (estimate) estimate->value = turn_rev(estimate->value + centre);
  return estimate;
}

}  // namespace platter::statistics
