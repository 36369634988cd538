#include "statistics/regression.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using namespace platter::statistics;

TEST_CASE("a line through exact points is found exactly") {
  const std::vector<double> x{0, 1, 2, 3}, y{5, 7, 9, 11};
  const auto fit = huber_line(x, y);
  REQUIRE(fit);
  CHECK(fit->coefficients[0] == Approx(5));
  CHECK(fit->coefficients[1] == Approx(2));
  CHECK(fit->predict(std::vector<double>{1, 10}) == Approx(25));
}

TEST_CASE("what cannot be told apart is not fitted") {
  CHECK_FALSE(huber_line(std::vector<double>{1}, std::vector<double>{1}));
  CHECK_FALSE(huber_line(std::vector<double>{2, 2, 2}, std::vector<double>{1, 2, 3}));
  CHECK_FALSE(huber_regression(Matrix(0, 2), std::vector<double>{}));
}

TEST_CASE("all points but one on a line: the odd one does not bend it") {
  std::vector<double> x, y;
  for (int i = 0; i < 20; ++i) {
    x.push_back(i);
    y.push_back(1 + 0.5 * i);
  }
  y[19] = 1e4;
  const auto fit = huber_line(x, y);
  REQUIRE(fit);
  CHECK(fit->coefficients[1] == Approx(0.5).margin(1e-3));
}

TEST_CASE("the errors of a robust line are honest in spite of outliers") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> gauss(0, 2);
  std::exponential_distribution<double> late(0.02);
  double slope_squares = 0, end_squares = 0;
  const int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> x, y;
    for (int i = 0; i < 50; ++i) {
      x.push_back(i);
      y.push_back(7 + 3 * i + gauss(random) + (i % 25 == 7 ? late(random) : 0));
    }
    const auto fit = huber_line(x, y);
    REQUIRE(fit);
    slope_squares += std::pow((fit->coefficients[1] - 3) / std::sqrt(fit->covariance.at(1, 1)), 2);
    const std::vector<double> end{1, 49};
    end_squares += std::pow((fit->predict(end) - (7 + 3 * 49)) / fit->predict_error(end), 2);
  }
  CHECK(std::sqrt(slope_squares / rounds) == Approx(1).margin(0.2));
  CHECK(std::sqrt(end_squares / rounds) == Approx(1).margin(0.2));
}
