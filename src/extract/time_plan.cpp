#include "extract/time_plan.h"

#include <algorithm>

namespace platter::extract {
namespace {

constexpr double kWeightsRpm = 10'000;  // of the drive that the stages' weights are the seconds of
constexpr double kUsualRpm = 7200;

}  // namespace

TimePlan::TimePlan(double rpm, std::optional<double> budget_s) : budget_s_(budget_s) {
  // About half of the time goes by in turns, the other half in seeks, commands and on the bus.
  const double slower = 0.5 + 0.5 * kWeightsRpm / (rpm > 0 ? rpm : kUsualRpm);
  for (std::size_t i = 0; i < kStages.size(); ++i) full_s_[i] = kStages[i].weight * slower;
}

double TimePlan::least_s() const {
  double all = 0;
  for (std::size_t i = 0; i < kStages.size(); ++i) all += full_s_[i] * kStages[i].least;
  return all;
}

double TimePlan::expected_s() const {
  double all = 0;
  for (const double seconds : full_s_) all += seconds;
  return budget_s_ ? std::clamp(*budget_s_, least_s(), std::max(all, least_s())) : all;
}

std::optional<double> TimePlan::share_s(std::size_t stage, double elapsed_s) const {
  if (!budget_s_) return std::nullopt;
  double missing_s = elapsed_s - *budget_s_;
  for (std::size_t i = stage; i < kStages.size(); ++i) missing_s += full_s_[i];
  for (const std::size_t next : kGivenUpInOrder) {
    if (next < stage || missing_s <= 0) continue;
    const double cut_s = std::min(missing_s, full_s_[next] * (1 - kStages[next].least));
    missing_s -= cut_s;
    if (next == stage && cut_s > 0) return full_s_[stage] - cut_s;
  }
  return std::nullopt;
}

}  // namespace platter::extract
