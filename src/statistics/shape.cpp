#include "statistics/shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace platter::statistics {
namespace {

constexpr std::size_t kFewest = 3, kFewestDeviations = 24;
constexpr int kDraws = 400;
constexpr double kUnlike = 3;

double mean_of_lower_half(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = (values.size() + 1) / 2;
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), 0.0) /
         static_cast<double>(half);
}

}  // namespace

std::optional<Estimate> median_by_shape(std::span<const double> values,
                                        std::span<const double> deviations) {
  if (values.size() < kFewest || deviations.size() < kFewestDeviations) return std::nullopt;
  std::vector<double> centred(deviations.begin(), deviations.end());
  const double middle = median(centred);
  for (double& deviation : centred) deviation -= middle;

  std::mt19937_64 random(1);  // the same samples tell the same
  std::uniform_int_distribution<std::size_t> any(0, centred.size() - 1);
  std::vector<double> drawn(values.size());
  double sum = 0, squares = 0, below_median = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (double& value : drawn) value = centred[any(random)];
    const double lower = mean_of_lower_half(drawn);
    sum += lower;
    squares += lower * lower;
    below_median += median(drawn) - lower;
  }
  const double mean = sum / kDraws;
  const double lower = mean_of_lower_half({values.begin(), values.end()});
  const double usual = below_median / kDraws, here = median(values) - lower;
  if (here > kUnlike * usual || usual > kUnlike * here) return std::nullopt;
  const double spread = std::sqrt(std::max(squares / kDraws - mean * mean, 0.0));
  // The deviations' own median is not sharper than theirs.
  const auto of_middle = median_estimate(centred);
  return Estimate{lower - mean, std::hypot(spread, of_middle ? of_middle->error : 0.0),
                  values.size()};
}

}  // namespace platter::statistics
