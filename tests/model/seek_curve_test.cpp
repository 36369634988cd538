// What a curve says between its points, and how sure that is.
#include "model/seek_curve.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::model {
namespace {

Seek curve(std::initializer_list<SeekPoint> points) {
  Seek seek;
  seek.points = points;
  return seek;
}

// Every 25 cylinders, along a root, with steps that wander by so much from point to point.
std::vector<double> wandering(double wander_ms, std::mt19937_64& random) {
  std::normal_distribution<double> step(0, 1);
  std::vector<double> times;
  double off_ms = 0;
  for (int i = 0; i <= 400; ++i) {
    off_ms += wander_ms * step(random);
    times.push_back(1 + std::sqrt(i + 4.0) / 2 + off_ms);
  }
  return times;
}

}  // namespace

TEST_CASE("at a point the error is the point's, and on a line no more than that of the points") {
  const Seek line = curve({{10, 1, 0.01, 9}, {20, 2, 0.03, 9}, {30, 3, 0.02, 9}, {40, 4, 0.02, 9}});
  CHECK(*seek_error_ms(line, 20) == 0.03);
  CHECK(*seek_error_ms(line, 25) == Approx(0.03));
  CHECK_FALSE(seek_error_ms(curve({{10, 1, {}, 0}, {20, 2, {}, 0}, {30, 3, {}, 0}}), 15));
}

TEST_CASE("where nearby points lie off the line, the curve may between two others, too") {
  const Seek bent =
      curve({{100, 2, 0.01, 9}, {200, 2.5, 0.01, 9}, {300, 2.2, 0.01, 9}, {400, 2.8, 0.01, 9}});
  CHECK(*seek_error_ms(bent, 250) > 0.1);
  CHECK(*seek_error_ms(bent, 250) > *seek_error_ms(bent, 210));
}

TEST_CASE("a curve between points is within what its error says") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 1);
  constexpr double kError_ms = 0.01;
  for (const double wander_ms : {0.0, 0.01, 0.05}) {
    double squares = 0, count = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const std::vector<double> truth = wandering(wander_ms, random);
      Seek measured;
      for (std::size_t i = 40; i < truth.size(); i += 1 + random() % 20)
        measured.points.push_back({static_cast<std::uint32_t>(25 * i),
                                   truth[i] + kError_ms * noise(random), kError_ms, 9});
      for (std::size_t i = 40; 25 * i <= measured.points.back().cylinders; ++i) {
        const double off = seek_time_ms(measured, 25.0 * static_cast<double>(i)) - truth[i];
        const double error = *seek_error_ms(measured, 25.0 * static_cast<double>(i));
        squares += off * off / (error * error);
        ++count;
      }
    }
    CAPTURE(wander_ms, std::sqrt(squares / count));
    CHECK(std::sqrt(squares / count) < 1.5);
    CHECK(std::sqrt(squares / count) > 0.5);
  }
}

}  // namespace platter::model
