// How far completions scatter about where the platter stands, and what a reading is worth by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "statistics/robust.h"

namespace platter::layout_by_timing {

struct Jitter {
  double sigma_rev = 0.003;
  double wild_share = 0.02;  // of readings, that tell nothing: held up by the host

  // Of readings about their true angle.
  static Jitter of(std::span<const double> residuals_rev) {
    Jitter jitter;
    jitter.sigma_rev = std::max(2e-4, statistics::mad_sigma(residuals_rev));
    return jitter;
  }
  // Log of how much likelier a reading so far off is, where the angle is predicted with an error of
  // `unsure_rev`, than where nothing is known of it. Student's t with 3 degrees of freedom: delays
  // have long tails.
  double evidence(double off_rev, double unsure_rev = 0) const {
    const double sigma = std::hypot(sigma_rev, unsure_rev);
    const double t = off_rev / sigma;
    const double density = 0.36755259694786 / sigma / ((1 + t * t / 3) * (1 + t * t / 3));
    return std::log((1 - wild_share) * std::max(density, 1e-6) + wild_share);
  }
};

}  // namespace platter::layout_by_timing
