// What a budget leaves to the stages.
#include "extract/time_plan.h"

#include <catch2/catch.hpp>

namespace platter::extract {
namespace {

// What stage `stage` is given in a run whose stages take what they were given, or else what they need.
std::optional<double> given(const TimePlan& plan, std::size_t stage) {
  double elapsed_s = 0;
  for (std::size_t i = 0; i < stage; ++i)
    elapsed_s += plan.share_s(i, elapsed_s).value_or(plan.full_s(i));
  return plan.share_s(stage, elapsed_s);
}

}  // namespace

TEST_CASE("without a budget every stage takes what it needs, more on slower drives") {
  const TimePlan fast(10'000, std::nullopt), slow(5'000, std::nullopt);
  CHECK(fast.expected_s() == Approx(kAllWeights));
  CHECK(slow.expected_s() == Approx(1.5 * kAllWeights));
  for (std::size_t i = 0; i < kStages.size(); ++i) CHECK_FALSE(fast.share_s(i, 1e6));
}

TEST_CASE("a budget that is large enough takes nothing away") {
  const TimePlan plan(10'000, kAllWeights + 1);
  CHECK(plan.expected_s() == Approx(kAllWeights));
  for (std::size_t i = 0; i < kStages.size(); ++i) CHECK_FALSE(given(plan, i));
}

TEST_CASE("the cache gives up first, and the layout never") {
  const double cache_s = kStages[kCache].weight;
  const TimePlan little(10'000, kAllWeights - 0.5 * cache_s);
  CHECK(given(little, kCache).value() == Approx(0.5 * cache_s));
  for (const std::size_t other : {kWarmUp, kRotation, kLayout, kAngles, kSeeks, kSwitches, kOverheads})
    CHECK_FALSE(given(little, other));

  const TimePlan none(10'000, 1);
  CHECK(none.expected_s() == Approx(none.least_s()));
  for (const std::size_t cut : kGivenUpInOrder)
    CHECK(given(none, cut).value() == Approx(kStages[cut].weight * kStages[cut].least));
  for (const std::size_t kept : {kWarmUp, kRotation, kLayout, kQueue}) CHECK_FALSE(given(none, kept));
}

TEST_CASE("what earlier stages took too much, later ones lack") {
  const TimePlan plan(10'000, kAllWeights);
  double before_s = 0;
  for (std::size_t i = 0; i < kCache; ++i) before_s += kStages[i].weight;
  CHECK_FALSE(plan.share_s(kCache, before_s));
  CHECK(plan.share_s(kCache, before_s + 2).value() == Approx(kStages[kCache].weight - 2));
}

TEST_CASE("a stage gives up only where those in front of it could not give enough") {
  double gone = 0;
  for (std::size_t n = 0; n < kGivenUpInOrder.size(); ++n) {
    const std::size_t stage = kGivenUpInOrder[n];
    const double cut = kStages[stage].weight * (1 - kStages[stage].least);
    const TimePlan plan(10'000, kAllWeights - gone - 0.5 * cut);
    CHECK(given(plan, stage).value() == Approx(kStages[stage].weight - 0.5 * cut));
    if (n + 1 < kGivenUpInOrder.size()) CHECK_FALSE(given(plan, kGivenUpInOrder[n + 1]));
    gone += cut;
  }
}

}  // namespace platter::extract
