// Angles in revolutions: wrapping, and the robust mean of a bunch of angles.
#pragma once

#include <cmath>
#include <optional>
#include <span>

#include "statistics/robust.h"

namespace platter::statistics {

// The equivalent angle in [-1/2, 1/2).
inline double wrap_rev(double rev) { return rev - std::floor(rev + 0.5); }
// The equivalent angle in [0, 1).
inline double turn_rev(double rev) {
  const double fraction = rev - std::floor(rev);
  return fraction < 1.0 ? fraction : 0.0;
}

// Robust mean of angles that lie in one bunch much narrower than a turn, outliers anywhere: Huber's
// estimate of the deviations from the bunch's centre; value in [0, 1). nullopt below 2 angles.
std::optional<Estimate> robust_angle_rev(std::span<const double> angles_rev);

}  // namespace platter::statistics
