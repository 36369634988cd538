#include "statistics/alike.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using namespace platter::statistics;

TEST_CASE(
    "alike: values that scatter by their errors are, a shift, a trend and a change of sign are "
    "not") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> gauss(0, 1);
  const auto drawn = [&](auto true_at) {
    std::vector<Estimate> values;
    for (int i = 0; i < 40; ++i) {
      const double error = i % 2 == 0 ? 1 : 2;
      values.push_back({true_at(i) + error * gauss(random), error, 1});
    }
    return values;
  };
  int alike = 0;
  for (int run = 0; run < 1000; ++run)
    if (!differ_from(drawn([](int) { return 5.0; }), 5)) ++alike;
  CHECK(alike > 995);
  CHECK(differ_from(drawn([](int) { return 7.0; }), 5));
  CHECK(differ_from(drawn([](int i) { return 5 + 0.2 * (i - 19.5); }), 5));  // its mean is 5
  CHECK_FALSE(differ_from(std::vector<Estimate>{{9, 1, 1}, {9, 1, 1}, {9, 1, 1}}, 0));
}

TEST_CASE("alike: the mean by weights") {
  const Estimate mean = weighted_mean(std::vector<Estimate>{{1, 1, 1}, {4, 0.5, 1}});
  CHECK(mean.value == Approx(3.4));
  CHECK(mean.error == Approx(1 / std::sqrt(5)));
  CHECK(mean.samples == 2);
}
