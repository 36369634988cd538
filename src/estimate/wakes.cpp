#include "estimate/wakes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace platter::estimate {

void Bracketing::add(double response_ns) {
  least_ns_ = samples_ == 0 ? response_ns : std::min(least_ns_, response_ns);
  longest_ns_ = samples_ == 0 ? response_ns : std::max(longest_ns_, response_ns);
  ++samples_;
}

// The drive was ready between longest - period and least. Where that is no interval it needed more
// in one rest than in another: half of what it scatters by, for so few (Tippett 1925) about n to
// the power of a third times sigma.
Bracket Bracketing::bracket() const {
  constexpr double kHost_ns = 10'000;  // Chosen: what a completion is late by on a quiet host
  const double n = static_cast<double>(samples_);
  const double range_ns = longest_ns_ - least_ns_;
  const double width_ns = std::abs(period_ns_ - range_ns);
  const double sigma_ns = std::max(0.0, range_ns - period_ns_) / std::max(1.0, std::cbrt(n));
  return {(least_ns_ + longest_ns_ - period_ns_) / 2,
          std::max({width_ns / std::sqrt(12.0), sigma_ns / std::sqrt(n), kHost_ns}), samples_};
}

namespace {

model::Parameter wake_time(const Bracket& resting, const Bracket& awake) {
  model::Parameter wake;
  wake.unit = "ms";
  wake.samples = resting.samples;
  wake.method = "reads behind rests";
  const double time_ms = (resting.value_ns - awake.value_ns) * 1e-6;
  const double error_ms = std::hypot(resting.error_ns, awake.error_ns) * 1e-6;
  if (time_ms > 3 * error_ms) {
    wake.value = time_ms;
    wake.error = error_ms;
    return wake;
  }
  wake.at_most = std::max(0.0, time_ms) + 3 * error_ms;
  wake.reason = fmt::format("behind {} rests reads came as soon as from an awake drive",
                            resting.samples);
  return wake;
}

}  // namespace

std::array<model::Parameter, model::kPowerConditions.size()> estimate_wakes(const Samples& samples,
                                                                            double period_ns) {
  std::array<model::Parameter, model::kPowerConditions.size()> wakes;
  std::vector<Bracketing> of(wakes.size() + 1, Bracketing(period_ns));
  for (const Sample& s : samples)
    if (s.experiment == Experiment::wake && s.group >= 0 &&
        s.group < static_cast<std::int64_t>(of.size()))
      of[static_cast<std::size_t>(s.group)].add(static_cast<double>(s.completed_ns - s.issued_ns));
  if (of[0].samples() == 0) return wakes;
  for (std::size_t i = 0; i < wakes.size(); ++i)
    if (of[i + 1].samples() > 0) wakes[i] = wake_time(of[i + 1].bracket(), of[0].bracket());
  return wakes;
}

}  // namespace platter::estimate
