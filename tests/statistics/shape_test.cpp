#include "statistics/shape.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using namespace platter::statistics;

namespace {

std::vector<double> drawn(std::mt19937_64& random, std::size_t count, double scale = 1) {
  std::lognormal_distribution<double> scatter(0, 0.7);
  std::vector<double> values(count);
  for (double& value : values) value = 10 + scale * scatter(random);
  return values;
}

}  // namespace

TEST_CASE("the shape of many tells the median of few, better than the few do, with its error") {
  std::mt19937_64 random(5);
  constexpr int kRounds = 400;
  int unlike = 0;
  double squares = 0, alone = 0, z = 0, bias = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> many = drawn(random, 120), few = drawn(random, 12);
    const auto found = median_by_shape(few, many);
    if (!found) {
      ++unlike;
      continue;
    }
    const double off = found->value - 11;
    bias += off / kRounds;
    squares += off * off / kRounds;
    alone += std::pow(median(few) - 11, 2) / kRounds;
    z += off * off / (found->error * found->error) / kRounds;
  }
  CHECK(unlike <= kRounds / 40);
  CHECK(std::sqrt(squares) < 0.8 * std::sqrt(alone));
  CHECK(std::sqrt(z) == Approx(1).margin(0.12));
  CHECK(std::abs(bias) < 0.03);
}

TEST_CASE("what scatters otherwise, or is too few, is not told by the shape of others") {
  std::mt19937_64 random(6);
  const std::vector<double> many = drawn(random, 120);
  CHECK_FALSE(median_by_shape(drawn(random, 40, 5), many));
  CHECK_FALSE(median_by_shape(drawn(random, 40, 0.2), many));
  CHECK_FALSE(median_by_shape(drawn(random, 2), many));
  CHECK_FALSE(median_by_shape(drawn(random, 12), drawn(random, 10)));
}
