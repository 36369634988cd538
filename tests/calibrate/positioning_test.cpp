#include "calibrate/positioning.h"

#include <cmath>
#include <random>

#include "catch.h"

using namespace platter::calibrate;

namespace {

constexpr double kPeriod_ms = 8.0;

// Reads of a drive that takes `after_read` or `after_write` longer than the model, and at least
// `least` where the arm stands on the cylinder.
std::vector<Trial> trials(std::size_t count, unsigned seed, double after_read, double after_write,
                          double least, double sigma = 0.05) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> noise(0, sigma);
  std::vector<Trial> list;
  for (std::size_t i = 0; i < count; ++i) {
    Trial trial;
    trial.request = i;
    trial.after_write = unit(generator) < 0.4;
    trial.distance = unit(generator) < 0.2
                         ? 0
                         : static_cast<std::uint32_t>(1 + std::exp(8 * unit(generator)));
    double longer = (trial.after_write ? after_write : after_read) + noise(generator);
    if (trial.distance == 0) longer += least;
    const double slack = kPeriod_ms * unit(generator);
    const double turns = std::ceil((longer - slack) / kPeriod_ms);
    trial.revolutions = static_cast<int>(turns);
    trial.high_ms = slack + turns * kPeriod_ms;
    trial.low_ms = trial.high_ms - kPeriod_ms;
    list.push_back(trial);
  }
  return list;
}

}  // namespace

TEST_CASE("overheads and the least time on a cylinder are found within their errors") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Positioning found = fit_positioning(trials(1500, seed, 0.6, -0.5, 1.0));
    CAPTURE(seed);
    for (const std::size_t distance : {0u, 30u, 1000u}) {
      Trial trial;
      trial.distance = static_cast<std::uint32_t>(distance);
      CHECK(found.correction(trial) == Approx(distance == 0 ? 1.6 : 0.6).margin(0.15));
      trial.after_write = true;
      CHECK(found.correction(trial) == Approx(distance == 0 ? 0.5 : -0.5).margin(0.15));
    }
    REQUIRE(found.least_read);
    CHECK(found.least_read->value == Approx(1.0).margin(5 * found.least_read->error));
    CHECK(found.least_read->error < 0.3);
    CHECK_FALSE(found.least_write);
  }
}

TEST_CASE("where nothing is wrong, nothing is found") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Positioning found = fit_positioning(trials(1500, seed, 0, 0, 0));
    CHECK(found.unknowns == 0);
    CHECK(found.gain == 0);
  }
}

TEST_CASE("seeks that take longer over long distances") {
  std::vector<Trial> list = trials(3000, 1, 0, 0, 0, 0.02);
  for (Trial& trial : list) {
    const double longer = trial.distance > 100 ? 0.8 : 0;
    trial.low_ms += longer;
    trial.high_ms += longer;
  }
  const Positioning found = fit_positioning(list);
  CHECK(found.seek_at(2000) - found.seek_at(10) == Approx(0.8).margin(0.2));
}

TEST_CASE("seeks that take longer inward than outward") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::vector<Trial> list = trials(2500, seed, 0, 0, 0, 0.05);
    std::mt19937_64 generator(seed);
    for (Trial& trial : list) {
      trial.inward = trial.distance > 0 && generator() % 2 == 0;
      if (trial.distance == 0) continue;
      trial.low_ms += trial.inward ? 0.3 : -0.3;
      trial.high_ms += trial.inward ? 0.3 : -0.3;
    }
    const Positioning found = fit_positioning(list);
    REQUIRE(found.inward);
    CHECK(found.inward->value == Approx(0.3).margin(0.03));
    CHECK(found.unknowns == 1);
  }
}

TEST_CASE("each candidate comes with fits that do without a part of the trials") {
  std::vector<Trial> list = trials(2500, 5, 0, 0, 0, 0.05);
  std::mt19937_64 generator(5);
  for (Trial& trial : list) {
    trial.inward = trial.distance > 0 && generator() % 2 == 0;
    if (trial.distance == 0) continue;
    // Only the trials of the first fold say so.
    const double longer = trial.request % 4 == 0 ? (trial.inward ? 0.8 : -0.8) : 0;
    trial.low_ms += longer;
    trial.high_ms += longer;
  }
  const auto candidates = positioning_candidates(list, 4,
                                                 [](std::size_t request) { return request % 4; });
  bool inward = false;
  for (const Candidate& candidate : candidates) {
    REQUIRE(candidate.without.size() == 4);
    if (!candidate.all.inward) continue;
    inward = true;
    REQUIRE(candidate.without[0].inward);
    CHECK(std::abs(candidate.without[0].inward->value) < 0.1);
    CHECK(candidate.without[1].inward->value > candidate.without[0].inward->value);
  }
  CHECK(inward);
}

TEST_CASE("a value is put where the fewest trials lose or gain a revolution") {
  // All trials that tell lie at the ends of 0.2 to 0.5 ms; the likeliest value is nearer to one
  // end.
  std::vector<Trial> list;
  for (std::size_t i = 0; i < 900; ++i) {
    Trial trial;
    trial.request = i;
    trial.distance = 100;
    trial.inward = i % 2 == 0;
    const double sign = trial.inward ? 1 : -1;
    const bool at_least = i % 3 == 0;
    const double low = at_least ? 0.2 : 0.5 - kPeriod_ms;
    trial.low_ms = sign > 0 ? low : -low - kPeriod_ms;
    trial.high_ms = trial.low_ms + kPeriod_ms;
    list.push_back(trial);
  }
  const Positioning found = fit_positioning(list);
  REQUIRE(found.inward);
  CHECK(found.inward->value > 0.2);
  CHECK(found.inward->value <= 0.5);
  std::size_t lost = 0;
  for (const Trial& trial : list) {
    const double at = found.correction(trial);
    lost += at <= trial.low_ms || at > trial.high_ms;
  }
  CHECK(lost == 0);
}

TEST_CASE("no trials tell nothing") {
  CHECK(positioning_candidates({}, 4, [](std::size_t) { return 0; }).empty());
  CHECK(fit_positioning({}).unknowns == 0);
}
