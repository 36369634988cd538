// What a budget leaves to the stages.
#include "extract/time_plan.h"

#include <algorithm>
#include <vector>

#include "catch.h"
#include "extract/map_by_timing.h"
#include "extract/map_forecast.h"
#include "extract/stages.h"

namespace platter::extract {
namespace {

constexpr std::size_t kSeeks = stage_named("seeks");

// When stage `stage` begins in a run whose stages take what they need, or else what they may.
double begin_s(const TimePlan& plan, std::size_t stage) {
  double elapsed_s = 0;
  for (std::size_t i = 0; i < stage; ++i)
    elapsed_s += std::min(plan.limit_s(i, elapsed_s).value_or(1e9), plan.full_s(i));
  return elapsed_s;
}

// What it takes then.
double takes_s(const TimePlan& plan, std::size_t stage) {
  return std::min(plan.limit_s(stage, begin_s(plan, stage)).value_or(1e9), plan.full_s(stage));
}

double whole_s(const TimePlan& plan) { return begin_s(plan, kStages.size()); }

constexpr double kMargin_s = 0.2;  // for what is between the stages

}  // namespace

TEST_CASE("without a budget every stage takes what it needs, more on slower drives") {
  const TimePlan fast(10'000, std::nullopt), slow(5'000, std::nullopt);
  CHECK(fast.expected_s() == Approx(kAllWeights));
  CHECK(slow.expected_s() == Approx(1.5 * kAllWeights));
  for (std::size_t i = 0; i < kStages.size(); ++i) CHECK_FALSE(fast.limit_s(i, 1e6));
}

TEST_CASE("without writes the stages that write take less, and need less") {
  const TimePlan writes(10'000, std::nullopt);
  TimePlan reads(10'000, std::nullopt);
  reads.expect_no_writes();
  CHECK(reads.expected_s() < 0.8 * writes.expected_s());
  CHECK(reads.least_s() < writes.least_s());
  CHECK(reads.full_s(kSeeks) == writes.full_s(kSeeks));
}

TEST_CASE("high precision takes longer, and needs no more at least") {
  const TimePlan enough(10'000, std::nullopt), high(10'000, std::nullopt, mtbrc::Precision::high);
  CHECK(high.expected_s() > 1.2 * enough.expected_s());
  CHECK(high.least_s() == Approx(enough.least_s()));
}

TEST_CASE("a budget that is large enough takes nothing away") {
  const TimePlan plan(10'000, kAllWeights + 1);
  CHECK(plan.expected_s() == Approx(kAllWeights));
  for (std::size_t i = 0; i < kStages.size(); ++i)
    CHECK(takes_s(plan, i) == Approx(kStages[i].weight));
}

TEST_CASE("the check of the cache gives up first, and the layout never") {
  const double check_s = kStages[kMixedValidation].weight;
  const TimePlan little(10'000, kAllWeights + kMargin_s - 0.5 * check_s);
  CHECK(takes_s(little, kMixedValidation) == Approx(0.5 * check_s));
  for (std::size_t other = 0; other < kStages.size(); ++other)
    if (other != kMixedValidation) CHECK(takes_s(little, other) == Approx(kStages[other].weight));

  // Where rotation and layout take no more than they need at least, all others have theirs.
  const TimePlan least(10'000, TimePlan(10'000, std::nullopt).least_s());
  double elapsed_s = 0;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    INFO(kStages[i].name);
    const double mine_s = kStages[i].weight * kStages[i].least;
    if (kStages[i].gives_up > 0) CHECK(least.limit_s(i, elapsed_s).value() == Approx(mine_s));
    CHECK(least.limit_s(i, elapsed_s).value() > mine_s - 1e-9);
    elapsed_s += mine_s;
  }
}

TEST_CASE("a stage gives up only where those in front of it could not give enough") {
  std::vector<std::size_t> in_order;
  for (std::size_t i = 0; i < kStages.size(); ++i)
    if (kStages[i].gives_up > 0) in_order.push_back(i);
  std::ranges::sort(in_order, {}, [](std::size_t i) { return kStages[i].gives_up; });
  REQUIRE(in_order.size() == 7);
  double gone = 0;
  for (std::size_t n = 0; n < in_order.size(); ++n) {
    const std::size_t stage = in_order[n];
    const double cut = kStages[stage].weight * (1 - kStages[stage].least);
    const TimePlan plan(10'000, kAllWeights + kMargin_s - gone - 0.5 * cut);
    INFO(kStages[stage].name);
    CHECK(takes_s(plan, stage) == Approx(kStages[stage].weight - 0.5 * cut));
    if (n + 1 < in_order.size())
      CHECK(takes_s(plan, in_order[n + 1]) == Approx(kStages[in_order[n + 1]].weight));
    gone += cut;
  }
}

TEST_CASE("whatever the stages would like, all of them together keep to the budget") {
  for (const double budget_s : {5.0, 20.0, 40.0, 60.0, 200.0}) {
    TimePlan plan(7'200, budget_s);
    plan.expect(kAngles, 57, 20);
    double elapsed_s = 0;
    for (std::size_t i = 0; i < kStages.size(); ++i)
      elapsed_s += plan.limit_s(i, elapsed_s).value();
    CHECK(elapsed_s <= budget_s);
  }
}

TEST_CASE("a stage that needs more than was expected takes it from those that give up earlier") {
  const TimePlan plan(10'000, kAllWeights);
  const double begins_s = begin_s(plan, kSeeks);
  const double cache_gives_s = kStages[kCache].weight * (1 - kStages[kCache].least);
  CHECK(plan.limit_s(kSeeks, begins_s).value() > kStages[kSeeks].weight + cache_gives_s - 1);
  CHECK(takes_s(plan, kMixedValidation) < kStages[kMixedValidation].weight);
}

TEST_CASE("a layout that takes long is better than none") {
  const TimePlan plan(10'000, 34);
  const double begins_s = begin_s(plan, kLayout);
  CHECK(plan.limit_s(kLayout, begins_s).value() > 3 * kStages[kLayout].weight);
  // What is left then is shared by all others.
  double elapsed_s = begins_s + 3 * kStages[kLayout].weight;
  for (std::size_t i = kLayout + 1; i < stages_of(false); ++i) {
    const double limit_s = plan.limit_s(i, elapsed_s).value();
    CHECK(limit_s > 0.4 * kStages[i].weight * kStages[i].least);
    elapsed_s += std::min(limit_s, kStages[i].weight);
  }
  CHECK(elapsed_s <= 34);
}

TEST_CASE("what is known better of a stage to come is reckoned with") {
  TimePlan plan(10'000, 48);
  plan.expect(kAngles, 57, 20);
  CHECK(plan.full_s(kAngles) == 57);
  CHECK(takes_s(plan, kAngles) >= 20);
  CHECK(whole_s(plan) <= 48);
  CHECK(plan.least_s() > TimePlan(10'000, 48).least_s() + 10);
}

TEST_CASE("what is left is what the stages to come take, and a fast stage shortens its own rest") {
  const TimePlan plan(10'000, std::nullopt);
  CHECK(plan.left_s(0, 0, 0, 0) == Approx(kAllWeights));
  CHECK(plan.left_s(kStages.size() - 1, 1, 5, 70) == Approx(0).margin(1e-9));
  const double later_s = plan.left_s(kLayout, 1, 0, 0);
  CHECK(plan.left_s(kLayout, 0, 0, 0) == Approx(later_s + plan.full_s(kLayout)));
  CHECK(plan.left_s(kLayout, 0.5, 1, 3) == Approx(later_s + 1));  // as long again
  CHECK(plan.left_s(kLayout, 0.5, 100, 103) == Approx(later_s + plan.full_s(kLayout) / 2));
  const TimePlan short_one(10'000, 20);
  CHECK(short_one.left_s(kLayout, 0, 0, 15) == Approx(5));
  CHECK(short_one.left_s(kLayout, 0, 0, 25) == 0);
}

// docs/layout-by-timing.md has them, with the command.
TEST_CASE("maps by timing take about what is announced, from 500 GB to 20 TB") {
  struct Took {
    double bytes, map_s;
  };
  constexpr Took kMeasured[] = {
      {5.014e11, 72}, {1.001e12, 92}, {5.004e12, 271}, {7.999e12, 364}, {2.007e13, 922}};
  for (const Took& took : kMeasured) {
    CAPTURE(took.bytes, timed_map_s(took.bytes));
    CHECK(took.map_s < 1.6 * timed_map_s(took.bytes));
    CHECK(took.map_s > timed_map_s(took.bytes) / 1.6);
  }
}

TEST_CASE("the stages behind a map by timing of a drive of today take longer, unless by a budget") {
  constexpr double kToday_bytes = 4e12, kOld_bytes = 9e9, kBudget_s = 400;
  const TimePlan classic(7200, std::nullopt);
  TimePlan today(7200, std::nullopt), old(7200, std::nullopt), limited(7200, kBudget_s);
  today.expect_map_by_timing(kToday_bytes);
  old.expect_map_by_timing(kOld_bytes);
  limited.expect_map_by_timing(kToday_bytes);
  const double classic_s = classic.forecast_s(kLayout, 0);
  CHECK(today.forecast_s(kLayout, 0) > classic_s + 30);
  CHECK(old.forecast_s(kLayout, 0) == Approx(classic_s));
  CHECK(limited.forecast_s(kLayout, 0) == Approx(classic_s));
}

TEST_CASE("a map that grows evenly is told at 2 and at 5 %, and at few shares later") {
  MapForecast forecast;
  std::vector<int> told;
  for (int permille = 0; permille < 1000; ++permille) {
    const auto left = forecast.left_s(permille * 1e-3, 0.4 * permille);
    if (!left) continue;
    told.push_back(permille);
    CHECK(*left == Approx(400 - 0.4 * permille));
  }
  CHECK(told == std::vector{20, 50, 100, 200, 350, 500});
}

TEST_CASE("what a map learns once at its beginning is not taken for its pace") {
  MapForecast forecast;
  for (int permille = 1; permille < 50; ++permille)
    forecast.left_s(permille * 1e-3, 30 + 0.1 * permille);
  CHECK(*forecast.left_s(0.050, 35) == Approx(95));
}

TEST_CASE("a map that turns slow later is told anew") {
  MapForecast forecast;
  double last_s = 0;
  const auto took_s = [](double share) { return 100 * share + 900 * std::max(0.0, share - 0.05); };
  for (int permille = 0; permille < 1000; ++permille)
    if (const auto left = forecast.left_s(permille * 1e-3, took_s(permille * 1e-3)))
      last_s = took_s(permille * 1e-3) + *left;
  CHECK(last_s == Approx(took_s(1)).epsilon(0.15));
}

TEST_CASE("a map that comes in one leap is told by all that it took") {
  MapForecast forecast;
  CHECK_FALSE(forecast.left_s(0.005, 3));
  CHECK(*forecast.left_s(0.5, 50) == Approx(50));
  CHECK_FALSE(forecast.left_s(0.9, 90));
  CHECK_FALSE(MapForecast().left_s(1, 90));
}

}  // namespace platter::extract
