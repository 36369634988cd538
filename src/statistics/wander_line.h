// A straight line through values that scatter each by itself and besides wander together, so that
// values of about one time lie off alike, however many they are. Generalized least squares; how far
// and how fast it wanders, and whether to and fro, is averaged over by the restricted likelihood
// (Patterson and Thompson, Biometrika 58, 1971).
#pragma once

#include <optional>
#include <span>

namespace platter::statistics {

struct WanderLine {
  double slope = 0, error = 0;  // one standard error, the wander in it
};

// `variances` of the values by themselves; the wander's values are alike within some width between
// `fastest` and `slowest`. nullopt below 4 values or without any spread in x.
std::optional<WanderLine> wander_line(std::span<const double> x, std::span<const double> y,
                                      std::span<const double> variances, double fastest,
                                      double slowest);

}  // namespace platter::statistics
