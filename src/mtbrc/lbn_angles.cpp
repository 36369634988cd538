// Angles of single LBNs relative to a reference, where nothing is known of the layout.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mtbrc/access.h"
#include "mtbrc/angle.h"
#include "mtbrc/rotation.h"
#include "statistics/circular.h"

namespace platter::mtbrc {

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

std::vector<std::optional<statistics::Estimate>> measure_lbn_angles(
    Context& context, std::uint64_t reference, const std::vector<std::uint64_t>& targets,
    double target_error_rev, const AngleOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  Accesses accesses(context);
  Samples mine;
  Nanoseconds last_anchor_ns = std::numeric_limits<Nanoseconds>::min() / 2;
  const auto anchor = [&] {
    if (context.drive.now_ns() - last_anchor_ns < options.anchor_every_ns) return;
    for (std::uint32_t i = 0; i < options.anchor_reads; ++i)
      if (const auto s = accesses.probe(Experiment::anchor, reference)) mine.push_back(*s);
    last_anchor_ns = context.drive.now_ns();
  };
  // A pass reads each target that is not known well enough, in the order in which they come round;
  // the distance kept between two grows when it cost a turn.
  double hop_rev = 0.3;
  for (int i = 0; i < 12; ++i)
    if (const auto s = accesses.probe(Experiment::anchor, reference)) mine.push_back(*s);
  std::vector<std::size_t> wanted(targets.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
  while (!wanted.empty() && !meter.exhausted()) {
    const auto known = estimate_lbn_angles(mine, context.rotation, targets);
    std::erase_if(wanted, [&](std::size_t i) {
      return known[i] && known[i]->samples >= 3 && known[i]->error <= target_error_rev;
    });
    std::vector<std::size_t> rest = wanted;
    while (!rest.empty() && !meter.exhausted()) {
      anchor();
      // Next: the target that passes first after the hop.
      std::size_t best = 0;
      if (accesses.last() && known[rest.front()]) {
        const auto last = std::find(targets.begin(), targets.end(), accesses.last()->lbn);
        const auto at = static_cast<std::size_t>(last - targets.begin());
        const double here = last != targets.end() && known[at] ? known[at]->value : 0.0;
        double best_wait = 2;
        for (std::size_t i = 0; i < rest.size(); ++i) {
          if (!known[rest[i]]) continue;
          const double wait = statistics::turn_rev(known[rest[i]]->value - here - hop_rev);
          if (wait < best_wait) {
            best_wait = wait;
            best = i;
          }
        }
      }
      const std::uint64_t lbn = targets[rest[best]];
      const bool predicted = known[rest[best]].has_value();
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best));
      const auto s = accesses.probe(Experiment::angle, lbn);
      if (!s) {
        std::erase_if(wanted, [&](std::size_t i) { return targets[i] == lbn; });
        continue;
      }
      mine.push_back(*s);
      if (predicted && s->after_completed_ns > 0) {
        const double took = static_cast<double>(s->completed_ns - s->after_completed_ns) /
                            context.period_ns();
        hop_rev = took > 0.98 ? std::min(hop_rev * 1.05, 0.95) : std::max(hop_rev * 0.99, 0.05);
      }
    }
    if (mine.empty()) break;
  }
  last_anchor_ns = std::numeric_limits<Nanoseconds>::min() / 2;
  anchor();
  return estimate_lbn_angles(mine, context.rotation, targets);
}

}  // namespace platter::mtbrc
