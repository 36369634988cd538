#include "calibrate/write_settle.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/stand_ins.h"

namespace platter::calibrate {
namespace {

constexpr double kSettleSteps_ms[] = {0.1, 0.02, 0.005};  // of the search, one finer than the other
constexpr int kSettleReach[] = {15, 6, 5};                // steps to either side

using Tried = std::map<long, Differences>;  // by how much longer, us

// What the nearest is worth where it was not chosen: of each stretch, that of the settle that is
// nearest in the others.
Differences held_out(const Tried& tried) {
  Differences all{};
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch)
    all[stretch] = std::ranges::min_element(tried, {}, [&](const auto& one) {
                     return mean(one.second) * kStretches - one.second[stretch];
                   })->second[stretch];
  return all;
}

}  // namespace

std::optional<SettleStep> best_write_settle(const model::DriveModel& model,
                                            const Measurement& measured, const Differences& now,
                                            const std::function<bool()>& keep_on) {
  model::DriveModel next = model;
  Tried tried;
  tried[0] = now;
  const auto attempt = [&](long more_us) {
    if (tried.contains(more_us)) return;
    next.write_settle.value = model::acting(model, model.write_settle) +
                              static_cast<double>(more_us) / 1e3;
    if (const auto then = differences(next, measured)) tried[more_us] = *then;
  };
  const auto nearest = [&] {
    return std::ranges::min_element(tried, {}, [](const auto& one) { return mean(one.second); });
  };
  for (std::size_t i = 0; i < std::size(kSettleSteps_ms); ++i) {
    const long centre_us = nearest()->first, step_us = std::lround(kSettleSteps_ms[i] * 1e3);
    for (int k = -kSettleReach[i]; k <= kSettleReach[i]; ++k) {
      if (!keep_on()) return std::nullopt;
      attempt(centre_us + k * step_us);
    }
  }
  const auto& [best_us, best] = *nearest();
  const Gain gain = gain_of(now, held_out(tried));
  if (gain.mean <= kHeldOut * gain.error || best_us == 0) return std::nullopt;
  double error_us = kSettleSteps_ms[std::size(kSettleSteps_ms) - 1] * 1e3;
  for (const auto& [us, differences] : tried) {
    const Gain lost = gain_of(differences, best);
    if (lost.mean <= lost.error)
      error_us = std::max(error_us, static_cast<double>(std::abs(us - best_us)));
  }
  return SettleStep{{static_cast<double>(best_us) / 1e3, error_us / 1e3, measured.learn().size()},
                    gain};
}

}  // namespace platter::calibrate
