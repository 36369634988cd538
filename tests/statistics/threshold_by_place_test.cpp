#include "statistics/threshold_by_place.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using namespace platter::statistics;

namespace {

struct Found {
  int held = 0, held_without_places = 0, of = 0;
};

// Trials aimed near 400, in runs of six at one of 12 places, whose times are `apart` (sigma) apart;
// how often two errors hold 400.
Found coverage(double apart) {
  constexpr double kTurn = 6000, kTruth = 400, kSpread = 15;
  constexpr int kRepeats = 150, kPlaces = 12, kRuns = 20, kTrials = 6;
  std::mt19937_64 random(7);
  std::normal_distribution<double> gauss(0, 1);
  const ThresholdPrior prior{kSpread, 0.5, 600};
  Found found;
  for (int i = 0; i < kRepeats; ++i) {
    std::vector<double> times;
    for (int place = 0; place < kPlaces; ++place) times.push_back(kTruth + apart * gauss(random));
    std::vector<CensoredTrial> trials;
    std::vector<std::uint32_t> places;
    for (int run = 0; run < kRuns; ++run) {
      const auto place =
          static_cast<std::uint32_t>(std::uniform_int_distribution<int>(0, kPlaces - 1)(random));
      for (int trial = 0; trial < kTrials; ++trial) {
        const double aim = kTruth + 0.8 * kSpread * gauss(random);
        const double time = times[place] + kSpread * gauss(random);
        const double turns = std::ceil((time - aim) / kTurn);
        trials.push_back({aim + (turns - 1) * kTurn, aim + turns * kTurn});
        places.push_back(1000 * place);
      }
    }
    const auto with = fit_threshold_by_place(trials, places, prior);
    const auto without = fit_threshold(trials, prior);
    REQUIRE(with);
    CHECK(with->value == without->value);
    found.held += std::abs(with->value - kTruth) <= 2 * with->error ? 1 : 0;
    found.held_without_places += std::abs(without->value - kTruth) <= 2 * without->error ? 1 : 0;
    ++found.of;
  }
  return found;
}

}  // namespace

TEST_CASE("errors hold what places differ by") {
  const Found found = coverage(20);
  CHECK(found.held >= 0.88 * found.of);
  CHECK(found.held_without_places <= 0.8 * found.of);
}

TEST_CASE("errors of places that are alike stay about what they are") {
  const Found found = coverage(0);
  CHECK(found.held >= 0.9 * found.of);
  CHECK(found.held - found.held_without_places <= 0.08 * found.of);
}

TEST_CASE("few places tell nothing of how places differ") {
  const std::vector<CensoredTrial> trials(30, {390, 410});
  const std::vector<std::uint32_t> places(30, 7);
  const auto with = fit_threshold_by_place(trials, places, {15, 0.5, 600});
  REQUIRE(with);
  CHECK(with->error == fit_threshold(trials, {15, 0.5, 600})->error);
}
