#include "statistics/wander_line.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using platter::statistics::wander_line;

namespace {

// Root mean square of the slope's errors in units of the stated ones. Values in a cluster at the
// beginning, then a few, then a cluster far out; the wander is a sine of a period of 7 s.
double rms_of_errors(double wander, double noise) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> gauss(0, 1);
  std::uniform_real_distribution<double> phase(0, 2 * M_PI);
  double squares = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> x, y, variances;
    const double at = phase(random);
    const auto add = [&](double t, double reads) {
      x.push_back(t);
      variances.push_back(noise * noise / reads);
      y.push_back(3 + 0.25 * t + wander * std::sin(2 * M_PI * t / 7 + at) +
                  noise / std::sqrt(reads) * gauss(random));
    };
    for (double t = 0; t < 2; t += 0.2) add(t, 6);
    for (double t = 4; t < 16; t += 0.7) add(t, 4);
    add(22, 2);
    add(60, 12);
    const auto line = wander_line(x, y, variances, 0.5, 4);
    if (!line) return NAN;
    squares += std::pow((line->slope - 0.25) / line->error, 2) / kRuns;
  }
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("wander line: the stated error holds, with and without wander") {
  CHECK(rms_of_errors(0, 4) == Approx(0.9).margin(0.2));
  CHECK(rms_of_errors(5.6, 6) == Approx(1.0).margin(0.2));
  CHECK(rms_of_errors(5.6, 1) == Approx(1.0).margin(0.25));
}

TEST_CASE("wander line: what cannot be told is not") {
  const std::vector<double> three = {1, 2, 3}, one = {1, 1, 1, 1}, y = {1, 2, 3, 4};
  CHECK_FALSE(wander_line(three, three, three, 0.5, 4));
  CHECK_FALSE(wander_line(one, y, one, 0.5, 4));
}
