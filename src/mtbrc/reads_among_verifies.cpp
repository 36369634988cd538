#include "mtbrc/reads_among_verifies.h"

#include "estimate/same_track.h"
#include "estimate/trial_prior.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {

void measure_reads_among_verifies(Context& context, double target_error_ms) {
  if (context.probe != Probe::verify) return;
  Trials trials(context);
  const Meter meter(context);
  const double period_ns = trials.passages().period_ns();
  Threshold threshold(period_ns, estimate::same_track_prior(period_ns));
  if (const estimate::Evidence evidence(context.samples, context.map, context.rotation);
      evidence.by_verifies())
    for (const statistics::CensoredTrial& kept : estimate::same_track_trials(evidence, {}))
      threshold.add(kept);

  constexpr std::size_t kFewest = 24, kMost = 400;
  constexpr std::uint32_t kMostInVain = 40;
  std::uint32_t in_vain = 0;
  // One at a place: behind it the drive may go on reading.
  while (in_vain < kMostInVain && !meter.exhausted() && threshold.trials() < kMost &&
         (threshold.trials() < kFewest || threshold.error_ns() > 1e6 * target_error_ms)) {
    const auto track = random_track(context);
    if (!track) return;
    if (!trials.go(*track) ||
        !trials.trial_of_read(estimate::Experiment::same_track, *track, threshold))
      ++in_vain;
    context.report("overheads", meter.share());
  }
}

}  // namespace platter::mtbrc
