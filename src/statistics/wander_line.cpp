#include "statistics/wander_line.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace platter::statistics {
namespace {

struct Fit {
  double slope = 0, variance = 0, log_likelihood = 0;
};

// Values at two places are alike within `width`; with a period, they come again after it.
struct Wander {
  double variance = 0, width = 1, period = 0;
  double covariance(double apart) const {
    const double z = apart / width;
    const double turned = period > 0 ? std::cos(2 * std::numbers::pi * apart / period) : 1;
    return variance * std::exp(-0.5 * z * z) * turned;
  }
};

std::optional<Fit> fit(std::span<const double> x, std::span<const double> y,
                       std::span<const double> variances, const Wander& wander) {
  const auto n = static_cast<Eigen::Index>(x.size());
  const auto view = [n](std::span<const double> values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), n);
  };
  Eigen::MatrixXd covariance(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      covariance(i, j) = wander.covariance(view(x)[i] - view(x)[j]);
  covariance.diagonal() += view(variances);
  // Only the lower triangle is read.
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  if (factor.info() != Eigen::Success) return std::nullopt;
  const auto whitened = [&factor](const Eigen::VectorXd& values) -> Eigen::VectorXd {
    return factor.matrixL().solve(values);
  };
  const Eigen::VectorXd one = whitened(Eigen::VectorXd::Ones(n)), at = whitened(view(x)),
                        seen = whitened(view(y));
  const double a = one.dot(one), b = one.dot(at), c = at.dot(at);
  const double determinant = a * c - b * b;
  if (!(determinant > 1e-12 * a * c)) return std::nullopt;
  const double p = one.dot(seen), q = at.dot(seen);
  const double intercept = (c * p - b * q) / determinant;
  Fit result;
  result.slope = (a * q - b * p) / determinant;
  result.variance = a / determinant;
  const double squares = (seen - intercept * one - result.slope * at).squaredNorm();
  const double log_determinant = std::log(determinant) +
                                 2 * factor.matrixLLT().diagonal().array().log().sum();
  result.log_likelihood = -0.5 * (squares + log_determinant);
  return result;
}

}  // namespace

std::optional<WanderLine> wander_line(std::span<const double> x, std::span<const double> y,
                                      std::span<const double> variances, double fastest,
                                      double slowest) {
  if (x.size() < 4 || x.size() != y.size() || x.size() != variances.size()) return std::nullopt;
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  const double span = *most - *least;
  if (!(span > 0)) return std::nullopt;
  std::vector<double> shifted;  // so that slope and intercept are about apart
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean += x[i] / static_cast<double>(x.size());
    variance += variances[i] / static_cast<double>(x.size());
  }
  for (const double value : x) shifted.push_back(value - mean);
  // Steps of two in the deviation. To and fro for some periods: a sine within `width` is a quarter
  // of a period, about.
  constexpr double kLeastWander = 1.0 / 16, kMostWander = 4096, kPeriod_width = 4, kLasting = 2;
  std::vector<Fit> fits;
  const auto add = [&](const Wander& wander) {
    if (const auto found = fit(shifted, y, variances, wander)) fits.push_back(*found);
  };
  add({});
  for (double width = fastest; width <= std::min(slowest, span); width *= std::numbers::sqrt2)
    for (double share = kLeastWander; share <= kMostWander; share *= 4) {
      add({share * variance, width, 0});
      const double period = kPeriod_width * width;
      add({share * variance, kLasting * period, period});
    }
  if (fits.empty()) return std::nullopt;
  double best = fits.front().log_likelihood;
  for (const Fit& f : fits) best = std::max(best, f.log_likelihood);
  double weights = 0, slope = 0;
  for (const Fit& f : fits) {
    const double weight = std::exp(f.log_likelihood - best);
    weights += weight;
    slope += weight * f.slope;
  }
  slope /= weights;
  double squares = 0;
  for (const Fit& f : fits)
    squares += std::exp(f.log_likelihood - best) *
               (f.variance + (f.slope - slope) * (f.slope - slope));
  return WanderLine{slope, std::sqrt(squares / weights)};
}

}  // namespace platter::statistics
