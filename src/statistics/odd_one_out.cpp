#include "statistics/odd_one_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace platter::statistics {
namespace {

// Above so many values one of them does not move the spread, and each is held against all.
constexpr std::size_t kOneMatters = 60;

constexpr double kQnToSigma = 2.2191;  // Rousseeuw and Croux, (3.7)

// Croux and Rousseeuw, "Time-Efficient Algorithms for Two Highly Robust Estimators of Scale",
// COMPSTAT 1992.
double correction(std::size_t n) {
  static constexpr std::array<double, 10> kFew = {1,     1,     0.399, 0.994, 0.512,
                                                  0.844, 0.611, 0.857, 0.669, 0.872};
  if (n < kFew.size()) return kFew[n];
  const auto count = static_cast<double>(n);
  return count / (count + (n % 2 == 1 ? 1.4 : 3.8));
}

// The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m < 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (std::abs(step - 1) < 1e-14) break;
  }
  return fraction;
}

// Regularized.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), 1e-300); }

// That of n fair coins at most `heads` show heads.
double coins_chance(std::size_t n, std::size_t heads) {
  double sum = 0;
  const auto count = static_cast<double>(n);
  for (std::size_t k = 0; k <= heads; ++k) {
    const auto each = static_cast<double>(k);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(each + 1) - std::lgamma(count - each + 1) -
                    count * std::numbers::ln2);
  }
  return std::min(sum, 1.0);
}

struct Others {
  double typical = 0, spread = 0, error = 0, freedom = 1;
  std::size_t count = 0, alike = 0;
};

Others others_of(std::span<const double> values, std::span<const double> errors) {
  Others others;
  others.typical = median(values);
  others.error = median(errors);
  others.spread = std::max(pairwise_spread(values), others.error);
  others.freedom = freedom_of_spread(values.size());
  others.count = values.size();
  others.alike = static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double value) { return equal(value, others.typical); }));
  return others;
}

Standing standing_of(const Estimate& value, const Others& others, Side side) {
  Standing standing{others.typical, others.spread, others.count, others.alike, 1};
  const bool of_the_side = side == Side::both ||
                           (value.value > others.typical) == (side == Side::above);
  if (!of_the_side || equal(value.value, others.typical)) return standing;
  if (others.spread == 0 && value.error == 0) {
    standing.chance = coins_chance(others.count, others.count - others.alike);
    return standing;
  }
  const double medians = std::numbers::pi / 2 / static_cast<double>(others.count);
  const double own = std::max(0.0, value.error * value.error - others.error * others.error);
  standing.spread = std::sqrt(others.spread * others.spread * (1 + medians) + own);
  const double both = student_chance((value.value - others.typical) / standing.spread,
                                     others.freedom);
  standing.chance = side == Side::both ? both : both / 2;
  return standing;
}

}  // namespace

double pairwise_spread(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 2) return 0;
  std::vector<double> apart;
  apart.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) apart.push_back(std::abs(values[i] - values[j]));
  const std::size_t half = n / 2 + 1;
  const auto at = apart.begin() + static_cast<std::ptrdiff_t>(half * (half - 1) / 2 - 1);
  std::nth_element(apart.begin(), at, apart.end());
  return kQnToSigma * correction(n) * *at;
}

double student_chance(double t, double freedom) {
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double freedom_of_spread(std::size_t values) {
  return std::max(1.0, 0.72 * static_cast<double>(values) - 1.9);
}

std::vector<Standing> standings(std::span<const Estimate> values, Side side) {
  if (values.size() < kFewestAlike) return {};
  std::vector<double> all, errors;
  for (const Estimate& value : values) all.push_back(value.value), errors.push_back(value.error);
  std::vector<Standing> result;
  const bool leave_out = values.size() <= kOneMatters;
  const Others of_all = leave_out ? Others{} : others_of(all, errors);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!leave_out) {
      result.push_back(standing_of(values[i], of_all, side));
      continue;
    }
    std::vector<double> rest = all, rest_errors = errors;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    rest_errors.erase(rest_errors.begin() + static_cast<std::ptrdiff_t>(i));
    result.push_back(standing_of(values[i], others_of(rest, rest_errors), side));
  }
  return result;
}

std::vector<double> chances_among_all(std::span<const double> chances) {
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return chances[i]; });
  std::vector<double> result(chances.size());
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    highest = std::max(highest, chances[order[rank]] * static_cast<double>(order.size() - rank));
    result[order[rank]] = std::min(highest, 1.0);
  }
  return result;
}

}  // namespace platter::statistics
