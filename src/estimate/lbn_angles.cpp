#include "estimate/lbn_angles.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "estimate/phase_drift.h"
#include "estimate/rotation.h"
#include "statistics/circular.h"

namespace platter::estimate {

std::vector<std::optional<statistics::Estimate>> estimate_lbn_angles(
    const Samples& samples, const model::Rotation& rotation,
    const std::vector<std::uint64_t>& targets) {
  const PhaseDrift drift(samples, rotation);
  std::map<std::uint64_t, std::vector<double>> angles;
  for (const Sample& s : samples)
    if (s.experiment == Experiment::angle && drift.knows(s.session))
      angles[s.lbn].push_back(statistics::turn_rev(phase_rev(rotation, s.completed_ns) -
                                                   drift.at_rev(s.completed_ns, s.session)));
  // A few samples do not tell their own spread; all targets together do.
  std::vector<double> deviations;
  for (const auto& [lbn, phases] : angles) {
    const auto middle = statistics::robust_angle_rev(phases);
    const auto n = static_cast<double>(phases.size());
    if (middle)
      for (double phase : phases)
        deviations.push_back(statistics::wrap_rev(phase - middle->value) * std::sqrt(n / (n - 1)));
  }
  const double noise = std::max(drift.noise_rev(), statistics::clipped_deviation(deviations));
  std::vector<std::optional<statistics::Estimate>> result;
  for (std::uint64_t lbn : targets) {
    const auto found = angles.find(lbn);
    auto estimate = found == angles.end() || !drift.known()
                        ? std::nullopt
                        : statistics::robust_angle_rev(found->second);
    if (estimate) {
      const double typical = noise / std::sqrt(static_cast<double>(estimate->samples));
      estimate->error = std::hypot(std::max(estimate->error, typical), drift.error_rev());
    }
    result.push_back(estimate);
  }
  return result;
}

}  // namespace platter::estimate
