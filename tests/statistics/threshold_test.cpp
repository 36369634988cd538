#include "statistics/threshold.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using namespace platter::statistics;

namespace {

constexpr double kTurn = 6000;

struct Truth {
  double centre, spread, late_share;
};

// One read aimed at a passage `aim` after the last completion; it lands there or whole turns later.
CensoredTrial run_trial(const Truth& truth, double aim, std::mt19937_64& random) {
  std::normal_distribution<double> gauss(truth.centre, truth.spread);
  double time = gauss(random);
  if (std::bernoulli_distribution(truth.late_share)(random))
    time += std::exponential_distribution<double>(1e-3)(random);
  const double turns = std::ceil((time - aim) / kTurn);
  return {aim + (turns - 1) * kTurn, aim + turns * kTurn};
}

Threshold adaptive(const Truth& truth, int trials, std::mt19937_64& random) {
  ThresholdPosterior posterior({50, 1.0, 600});
  std::uniform_real_distribution<double> anywhere(0, kTurn);
  std::normal_distribution<double> gauss(0, 1);
  double aim = anywhere(random);
  for (int i = 0; i < trials; ++i) {
    posterior.add(run_trial(truth, aim, random));
    const Threshold now = *posterior.estimate();
    aim = now.value + 0.8 * gauss(random) * std::min(now.spread, 200.0);
    if (now.error > now.spread) aim = now.value;
    aim -= std::floor(aim / kTurn) * kTurn;
  }
  return *posterior.estimate();
}

}  // namespace

TEST_CASE("no trials, no threshold") {
  CHECK_FALSE(fit_threshold({}, ThresholdPrior{}));
  CHECK_FALSE(fit_threshold(std::vector<CensoredTrial>{{5, 5}}, ThresholdPrior{}));
}

TEST_CASE("a fit asked for again is the one of these trials and this prior") {
  const std::vector<CensoredTrial> some{{1, 3}, {2, 4}, {2.5, 3.5}}, more{{1, 3}, {2, 4}, {2.5, 6}};
  const ThresholdPrior prior{.spread = 0.3}, wider{.spread = 0.6};
  const auto first = fit_threshold(some, prior);
  REQUIRE(first);
  const auto others = {fit_threshold(more, prior), fit_threshold(some, wider)};
  for (const auto& other : others) CHECK(other->value != first->value);
  CHECK(fit_threshold(some, prior)->value == first->value);
  CHECK(fit_threshold(some, prior)->error == first->error);
}

TEST_CASE("one trial tells the interval") {
  const auto found = fit_threshold(std::vector<CensoredTrial>{{1000, 7000}}, {50, 1, 600});
  REQUIRE(found);
  CHECK(found->value == Approx(4000).margin(300));
  CHECK(found->error == Approx(6000 / std::sqrt(12.0)).epsilon(0.1));
}

TEST_CASE("equal trials and one outlier") {
  std::vector<CensoredTrial> trials(30, {-2000, 4000});
  for (int i = 0; i < 30; ++i) trials.push_back({3900, 9900});
  const auto clean = fit_threshold(trials, {20, 1, 600});
  trials.push_back({9000, 15000});
  const auto found = fit_threshold(trials, {20, 1, 600});
  REQUIRE(found);
  CHECK(found->value > 3900);
  CHECK(found->value < 4000);
  CHECK(found->value == Approx(clean->value).margin(10));
}

TEST_CASE("adaptive trials find thresholds anywhere, and the error bars are honest") {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> centre(300, 17000);
  std::uniform_real_distribution<double> log_spread(std::log(15.0), std::log(120.0));
  double squares = 0;
  double worst = 0;
  double relative_error = 0;
  const int cases = 200;
  for (int i = 0; i < cases; ++i) {
    const Truth truth{centre(random), std::exp(log_spread(random)), 0.01};
    const Threshold found = adaptive(truth, 50, random);
    const double z = (found.value - truth.centre) / found.error;
    squares += z * z;
    worst = std::max(worst, std::abs(z));
    relative_error += found.error / truth.spread / cases;
  }
  const double deviation = std::sqrt(squares / cases);
  CHECK(deviation > 0.8);
  CHECK(deviation < 1.25);
  CHECK(worst < 6);
  CHECK(relative_error < 0.35);
}

TEST_CASE("where noise can only delay, the threshold is the median, with an honest error") {
  // Half of the accesses are not disturbed at all; each waits for a host's delay with a long tail.
  std::mt19937_64 random(23);
  std::normal_distribution<double> gauss(0, 1);
  const auto access = [&](double spread) {
    return 500 + std::max(0.0, spread * gauss(random)) + 6 * std::exp(0.7 * gauss(random));
  };
  double sum = 0, squares = 0, held = 0;
  const int cases = 300;
  for (int i = 0; i < cases; ++i) {
    const double spread = 20 + 20 * (i % 3);
    std::vector<double> all(2001);
    for (double& time : all) time = access(spread);
    std::nth_element(all.begin(), all.begin() + 1000, all.end());
    std::vector<CensoredTrial> trials;
    for (int t = 0; t < 60; ++t) {
      const double aim = all[1000] + 8 + 0.8 * 25 * std::clamp(gauss(random), -2.0, 2.0);
      const double turns = std::ceil((access(spread) - aim) / kTurn);
      trials.push_back({aim + (turns - 1) * kTurn, aim + turns * kTurn});
    }
    ThresholdPrior prior{40, 1.0, 600};
    prior.skewed = true;
    const auto found = fit_threshold(trials, prior);
    const double z = (found->value - all[1000]) / found->error;
    sum += z / cases;
    squares += z * z / cases;
    held += std::abs(z) < 1.96 ? 1.0 / cases : 0;
  }
  INFO("mean " << sum << ", deviation " << std::sqrt(squares) << ", held " << held);
  CHECK(held > 0.93);
  CHECK(std::abs(sum) < 0.6);
  CHECK(std::sqrt(squares) < 1.1);
  CHECK(std::sqrt(squares) > 0.7);
}
