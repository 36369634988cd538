#include "mtbrc/rotation.h"

#include <algorithm>

#include "estimate/rotation.h"
#include "estimate/samples.h"
#include "mtbrc/access.h"
#include "mtbrc/fresh_walk.h"

namespace platter::mtbrc {
namespace {

// A count of revolutions is beyond doubt while its uncertainty is below this share of one.
constexpr double kSureCount_rev = 0.04;

}  // namespace

estimate::RotationEstimate measure_rotation(Context& context, std::uint64_t lbn,
                                            const RotationOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  Accesses accesses(context);
  estimate::Samples mine;
  FreshWalk walk(context, lbn);
  const auto read = [&] {
    const auto at = context.reads_once ? walk.next() : lbn;
    if (!at) return;
    if (const auto sample = accesses.probe(estimate::Experiment::rotation, *at))
      mine.push_back(*sample);
  };
  // The turns between the reads of a walk have to vary, or the angle between its blocks stays
  // unknown.
  std::uniform_real_distribution<double> turns_ns(0, 2 * estimate::kLongestPeriod_ns);
  for (std::uint32_t i = 0; i < options.first_reads; ++i) {
    if (context.reads_once)
      context.drive.rest_ns(static_cast<Nanoseconds>(turns_ns(context.random)));
    read();
  }
  estimate::RotationEstimate estimate = estimate::estimate_rotation(mine);
  while (estimate.outcome == estimate::RotationOutcome::measured && !meter.exhausted() &&
         estimate.relative_error() > options.target_relative_error) {
    // Rest no longer than the revolutions can be counted, nor in step with the spindle's own
    // wander.
    const double period_ns = *estimate.rotation.period.value;
    const double sure_ns = 0.5 * kSureCount_rev * period_ns / estimate.relative_error();
    const double most_ns = std::min(sure_ns, static_cast<double>(options.most_rest_ns));
    std::uniform_real_distribution<double> rest(0.3 * most_ns, most_ns);
    // A walk is by turns slow and fast: else its steps and the turns cannot be told apart.
    const std::uint32_t bursts = context.reads_once ? 24 : 4,
                        each = context.reads_once ? 1 : options.burst_reads;
    for (std::uint32_t burst = 0; burst < bursts; ++burst) {
      context.drive.rest_ns(static_cast<Nanoseconds>(rest(context.random)));
      for (std::uint32_t i = 0; i < each; ++i) read();
    }
    for (std::uint32_t i = 0; context.reads_once && i < bursts; ++i) read();
    estimate = estimate::estimate_rotation(mine);
    context.report("rotation",
                   std::max(meter.share(), std::min(1.0, options.target_relative_error /
                                                             estimate.relative_error())));
  }
  if (estimate.outcome == estimate::RotationOutcome::measured) context.rotation = estimate.rotation;
  return estimate;
}

}  // namespace platter::mtbrc
