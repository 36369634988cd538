#include "statistics/robust.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "statistics/circular.h"

using namespace platter::statistics;

namespace {

double deviation(const std::vector<double>& z) {
  double squares = 0;
  for (double value : z) squares += value * value;
  return std::sqrt(squares / static_cast<double>(z.size()));
}

}  // namespace

TEST_CASE("median and quantiles of small samples") {
  CHECK(median(std::vector<double>{3}) == 3);
  CHECK(median(std::vector<double>{4, 1}) == 2.5);
  CHECK(median(std::vector<double>{9, 1, 2}) == 2);
  CHECK(quantile_of(std::vector<double>{0, 10}, 0.25) == 2.5);
  CHECK(mad_sigma(std::vector<double>{5, 5, 5, 100}) == 0);
}

TEST_CASE("location of degenerate samples") {
  CHECK_FALSE(huber_location(std::vector<double>{}));
  CHECK_FALSE(huber_location(std::vector<double>{1}));
  CHECK_FALSE(median_estimate(std::vector<double>{1, 2}));
  const auto equal = huber_location(std::vector<double>(10, 7.0));
  REQUIRE(equal);
  CHECK(equal->value == 7);
  CHECK(equal->error == 0);
  std::vector<double> one_outlier(20, 7.0);
  one_outlier.push_back(1e6);
  CHECK(huber_location(one_outlier)->value == 7);
  CHECK(huber_location(one_outlier)->error == 0);
}

TEST_CASE("location withstands late outliers and its error is honest") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> gauss(0, 3);
  std::exponential_distribution<double> late(0.01);
  std::bernoulli_distribution outlier(0.01);
  std::vector<double> huber_z, median_z;
  for (int round = 0; round < 400; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i)
      values.push_back(50 + gauss(random) + (outlier(random) ? late(random) : 0));
    const auto huber = huber_location(values);
    const auto middle = median_estimate(values);
    huber_z.push_back((huber->value - 50) / huber->error);
    median_z.push_back((middle->value - 50) / middle->error);
  }
  CHECK(deviation(huber_z) == Approx(1).margin(0.15));
  CHECK(deviation(median_z) > 0.8);
  CHECK(deviation(median_z) < 1.25);
}

TEST_CASE("angles wrap") {
  CHECK(wrap_rev(0.75) == Approx(-0.25));
  CHECK(wrap_rev(-0.75) == Approx(0.25));
  CHECK(turn_rev(-0.25) == Approx(0.75));
  CHECK(turn_rev(-1e-20) == 0);
}

TEST_CASE("a bunch of angles around zero, with outliers anywhere") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> gauss(0, 0.001);
  std::uniform_real_distribution<double> anywhere(0, 1);
  std::vector<double> z;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> angles;
    for (int i = 0; i < 60; ++i)
      angles.push_back(turn_rev(gauss(random) + (i < 3 ? anywhere(random) : 0)));
    const auto mean = robust_angle_rev(angles);
    REQUIRE(mean);
    z.push_back(wrap_rev(mean->value) / mean->error);
  }
  CHECK(deviation(z) > 0.8);
  CHECK(deviation(z) < 1.25);
}
