// Angles of single LBNs relative to a reference, where nothing is known of the layout.
#include "estimate/lbn_angles.h"

#include <algorithm>
#include <limits>

#include "estimate/samples.h"
#include "mtbrc/access.h"
#include "mtbrc/angle.h"
#include "statistics/circular.h"

namespace platter::mtbrc {

std::vector<std::optional<statistics::Estimate>> measure_lbn_angles(
    Context& context, std::uint64_t reference, const std::vector<std::uint64_t>& targets,
    double target_error_rev, const AngleOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  Accesses accesses(context);
  estimate::Samples mine;
  Nanoseconds last_anchor_ns = std::numeric_limits<Nanoseconds>::min() / 2;
  const auto anchor = [&] {
    if (context.drive.now_ns() - last_anchor_ns < options.anchor_every_ns) return;
    for (std::uint32_t i = 0; i < options.anchor_reads; ++i)
      if (const auto s = accesses.probe(estimate::Experiment::anchor, reference))
        mine.push_back(*s);
    last_anchor_ns = context.drive.now_ns();
  };
  // A pass reads each target that is not known well enough, in the order in which they come round;
  // the distance kept between two grows when it cost a turn.
  double hop_rev = 0.3;
  for (int i = 0; i < 12; ++i)
    if (const auto s = accesses.probe(estimate::Experiment::anchor, reference)) mine.push_back(*s);
  std::vector<std::size_t> wanted(targets.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
  while (!wanted.empty() && !meter.exhausted()) {
    const auto known = estimate::estimate_lbn_angles(mine, context.rotation, targets);
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
      const auto s = accesses.probe(estimate::Experiment::angle, lbn);
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
  return estimate::estimate_lbn_angles(mine, context.rotation, targets);
}

}  // namespace platter::mtbrc
