// The literature's form of a seek curve is found where a curve has it.
#include "model/seek_fit.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::model {
namespace {

constexpr double kA = 3.24, kB = 0.400, kE = 0.008;  // HP C2200A, Ruemmler and Wilkes, Table 1
constexpr std::uint32_t kKnee = 380;
const double kC = kA + kB * std::sqrt(kKnee) - kE * kKnee;  // 8.00 there

Seek curve(double sigma_ms, std::uint32_t longest = 1400, std::uint32_t step = 10) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, sigma_ms > 0 ? sigma_ms : 1);
  Seek seek;
  for (std::uint32_t d = 1; d <= longest; d += d < 30 ? 1 : step) {
    const double time_ms = d < kKnee ? kA + kB * std::sqrt(d) : kC + kE * d;
    seek.points.push_back({d, time_ms + (sigma_ms > 0 ? noise(random) : 0), {}, 0});
  }
  return seek;
}

}  // namespace

TEST_CASE("a curve of the literature's form is its own fit") {
  const Seek seek = curve(0);
  const auto fit = fit_seek(seek);
  REQUIRE(fit);
  CHECK(fit->a_ms == Approx(kA));
  CHECK(fit->b_ms == Approx(kB));
  CHECK(fit->c_ms == Approx(kC));
  CHECK(fit->e_ms == Approx(kE));
  CHECK(kC == Approx(8.00).margin(0.01));
  CHECK(fit->knee == kKnee);
  CHECK(fit->rms_ms < 1e-9);
  for (const SeekPoint& point : seek.points)
    CHECK(fit->time_ms(point.cylinders) == Approx(point.time_ms));
}

TEST_CASE("the knee of a long curve is found without trying each of its points") {
  const auto fit = fit_seek(curve(0, 100'000, 1));
  REQUIRE(fit);
  CHECK(fit->knee == kKnee);
  CHECK(fit->rms_ms < 1e-9);
}

TEST_CASE("what a curve differs from its fit is told") {
  const auto fit = fit_seek(curve(0.1));
  REQUIRE(fit);
  CHECK(fit->rms_ms == Approx(0.1).epsilon(0.15));
  CHECK(std::abs(static_cast<double>(fit->knee) - kKnee) < 60);
}

TEST_CASE("the two pieces of a fit meet, also where the curve itself jumps") {
  for (const double jump_ms : {0.0, 0.9, -0.9}) {
    Seek seek = curve(0.1);
    for (SeekPoint& point : seek.points)
      if (point.cylinders > kKnee) point.time_ms += jump_ms;
    const auto fit = fit_seek(seek);
    REQUIRE(fit);
    CHECK(fit->time_ms(fit->knee) == Approx(fit->c_ms + fit->e_ms * fit->knee).epsilon(1e-9));
  }
}

TEST_CASE("a curve of few points has no fit") {
  Seek seek = curve(0);
  seek.points.resize(5);
  CHECK_FALSE(fit_seek(seek));
  seek.points.clear();
  CHECK_FALSE(fit_seek(seek));
}

}  // namespace platter::model
