#include "extract/time_plan.h"

#include <algorithm>
#include <limits>

namespace platter::extract {
namespace {

constexpr double kWeightsRpm = 10'000;  // of the drive that the stages' weights are the seconds of
constexpr double kUsualRpm = 7200;
constexpr double kOrder_s = 0.2;  // for what is asked of the drive between and behind the stages

constexpr int kNever = std::numeric_limits<int>::max();

// How early a stage gives up.
int turn_of(std::size_t stage) {
  return kStages[stage].gives_up > 0 ? kStages[stage].gives_up : kNever;
}

}  // namespace

TimePlan::TimePlan(double rpm, std::optional<double> budget_s) : budget_s_(budget_s) {
  // About half of the time goes by in turns, the other half in seeks, commands and on the bus.
  const double slower = 0.5 + 0.5 * kWeightsRpm / (rpm > 0 ? rpm : kUsualRpm);
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    full_s_[i] = kStages[i].weight * slower;
    least_s_[i] = full_s_[i] * kStages[i].least;
  }
}

void TimePlan::expect(std::size_t stage, double full_s, double least_s) {
  least_s_[stage] = std::max(least_s_[stage], least_s);
  full_s_[stage] = std::max({full_s_[stage], full_s, least_s_[stage]});
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
