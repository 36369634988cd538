#include "extract/time_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "extract/map_by_timing.h"

namespace platter::extract {
namespace {

constexpr double kWeightsRpm = 10'000;  // of the drive that the stages' weights are the seconds of
constexpr double kUsualRpm = 7200;
constexpr double kOrder_s = 0.2;  // for what is asked of the drive between and behind the stages

// Stages whose trials are as many as positioning and host scatter.
constexpr std::size_t kSeeks = stage_named("seeks");
constexpr std::array kOfThresholds = {kSeeks, stage_named("head switch and write settle"),
                                      kOverheads};

constexpr int kNever = std::numeric_limits<int>::max();

// How early a stage gives up.
int turn_of(std::size_t stage) {
  return kStages[stage].gives_up > 0 ? kStages[stage].gives_up : kNever;
}

}  // namespace

TimePlan::TimePlan(double rpm, std::optional<double> budget_s, mtbrc::Precision precision)
    : budget_s_(budget_s) {
  // About half of the time goes by in turns, the other half in seeks, commands and on the bus.
  pace_.fill(1);
  slower_ = 0.5 + 0.5 * kWeightsRpm / (rpm > 0 ? rpm : kUsualRpm);
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    full_s_[i] = kStages[i].weight * slower_;
    least_s_[i] = full_s_[i] * kStages[i].least;
    if (precision == mtbrc::Precision::high) full_s_[i] *= kStages[i].high;
  }
}

void TimePlan::expect(std::size_t stage, double full_s, double least_s) {
  least_s_[stage] = std::max(least_s_[stage], least_s);
  full_s_[stage] = std::max({full_s_[stage], full_s, least_s_[stage]});
}

void TimePlan::expect_no_writes() {
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    full_s_[i] *= kStages[i].reads_only;
    least_s_[i] *= kStages[i].reads_only;
  }
}

void TimePlan::expect_map_by_timing(double bytes) {
  full_s_[kLayout] = timed_map_s(bytes);
  least_s_[kLayout] = least_timed_map_s(bytes);
  // Drives of today have larger caches and more cylinders than those of the weights: means of 38 of
  // them (bench/announced.py --first 1). What a budget gives to a stage goes by the weights.
  constexpr double kOfToday_bytes = 50e9, kSeeks_s = 18, kCache_s = 38;
  if (budget_s_ || bytes < kOfToday_bytes) return;
  expect(kSeeks, kSeeks_s, 0);
  if (full_s_[kCache] > 0) expect(kCache, kCache_s, 0);
}

// At the end, in the place of the self-validation, which there is none of: the rotation once more,
// most of which is rests.
void TimePlan::expect_no_map() {
  // Chosen: seen on the catalogue's drives. Of the cache's tests some are left out.
  constexpr double kSharply_s = 18.5, kAtOnce = 0.05, kOfCache = 0.65;
  for (std::size_t i = kLayout + 1; i < kStages.size(); ++i)
    if (least_needs(kStages[i]) != Needs::nothing) leave_out(i);
  full_s_[kLayout] = least_s_[kLayout] = kAtOnce * slower_;
  if (full_s_[kCache] > 0)
    full_s_[kCache] = std::min(full_s_[kCache], kOfCache * kStages[kCache].weight * slower_);
  full_s_[kSelfValidation] = kSharply_s;
  least_s_[kSelfValidation] = kStages[kRotation].weight * slower_;
}

void TimePlan::expect_rotation_alone() {
  for (std::size_t done = kRotation + 1; done < kStages.size(); ++done) leave_out(done);
}

void TimePlan::expect_host(double spread_ms) {
  // Of a quiet host. Chosen, with the exponents, by what runs on hosts of four kinds took
  // (bench/noise.py): trials aim at what is not known, and so take fewer than the square of it.
  constexpr double kUsual_ms = 0.0045, kOfAngles = 0.65, kOfTrials = 0.4;
  const double noisier = std::max(1.0, spread_ms / kUsual_ms);
  pace_[kAngles] = std::pow(noisier, kOfAngles);
  for (const std::size_t stage : kOfThresholds) pace_[stage] = std::pow(noisier, kOfTrials);
}

void TimePlan::took(std::size_t stage, double seconds) {
  if (stage != kSeeks) return;
  const double slower = seconds / (pace_[stage] * full_s_[stage]);
  for (const std::size_t other : kOfThresholds) pace_[other] *= slower;
}

double TimePlan::forecast_s(std::size_t stage, double elapsed_s) const {
  double all_s = elapsed_s;
  for (std::size_t i = stage + 1; i < kStages.size(); ++i) all_s += pace_[i] * full_s_[i];
  return all_s;
}

double TimePlan::left_s(std::size_t stage, double share, double stage_s, double elapsed_s) const {
  double left_s = (1 - share) * pace_[stage] * full_s_[stage];
  // As fast as it is, once that is known: a map by timing may be done in a third of the time.
  constexpr double kTells = 0.03;
  if (share > kTells) left_s = std::min(left_s, stage_s * (1 - share) / share);
  left_s += forecast_s(stage, 0);
  return budget_s_ ? std::min(left_s, std::max(0.0, *budget_s_ - elapsed_s)) : left_s;
}

double TimePlan::least_s(std::size_t from_stage) const {
  double all = kOrder_s;
  for (std::size_t i = from_stage; i < kStages.size(); ++i) all += least_s_[i];
  return all;
}

double TimePlan::expected_s() const {
  double all = 0;
  for (const double seconds : full_s_) all += seconds;
  return budget_s_ ? std::clamp(*budget_s_, least_s(), std::max(all, least_s())) : all;
}

std::optional<double> TimePlan::limit_s(std::size_t stage, double elapsed_s) const {
  if (!budget_s_) return std::nullopt;
  const double left_s = *budget_s_ - kOrder_s - elapsed_s;
  double later_s = 0, later_least_s = 0;
  for (std::size_t i = stage + 1; i < kStages.size(); ++i) {
    later_s += turn_of(i) < turn_of(stage) ? least_s_[i] : full_s_[i];
    later_least_s += least_s_[i];
  }
  const double mine_s = least_s_[stage];
  // Stages of which a part is of no use may take more than they were expected to from all others.
  constexpr double kWorthALayout = 0.6;
  if (turn_of(stage) == kNever)
    return std::max(left_s - kWorthALayout * later_least_s,
                    std::max(0.0, left_s) * mine_s / (mine_s + later_least_s));
  if (left_s <= mine_s + later_least_s)
    return std::max(0.0, left_s) * mine_s / (mine_s + later_least_s);
  return std::max(mine_s, left_s - later_s);
}

}  // namespace platter::extract
