#include "mtbrc/reads_among_verifies.h"

#include "model/parameters.h"
#include "model/revolution.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {
namespace {

std::vector<statistics::CensoredTrial> trials_of_reads(const Samples& samples,
                                                       const engine::LayoutMap& map,
                                                       const model::Rotation& rotation) {
  if (!by_verifies(samples)) return {};
  return trials_of(samples, map, rotation, [](const Sample& s) {
    return s.experiment == Experiment::same_track && !s.write && !s.verify && !s.after_write &&
           s.blocks == 1 && s.after_completed_ns > 0;
  });
}

}  // namespace

void measure_reads_among_verifies(Context& context, double target_error_ms) {
  if (context.probe != Probe::verify) return;
  Trials trials(context);
  const Meter meter(context);
  const double period_ns = trials.passages().period_ns();
  Threshold threshold(period_ns, same_track_prior(period_ns));
  for (const statistics::CensoredTrial& kept :
       trials_of_reads(context.samples, *context.map, context.rotation))
    threshold.add(kept);
  constexpr std::size_t kFewest = 24, kMost = 400;
  constexpr std::uint32_t kMostInVain = 40;
  std::uint32_t in_vain = 0;
  // One at a place: behind it the drive may go on reading.
  while (in_vain < kMostInVain && !meter.exhausted() && threshold.trials() < kMost &&
         (threshold.trials() < kFewest || threshold.error_ns() > 1e6 * target_error_ms)) {
    const auto track = random_track(context);
    if (!track) return;
    if (!trials.go(*track) || !trials.trial_of_read(Experiment::same_track, *track, threshold))
      ++in_vain;
    context.report("overheads", meter.share());
  }
}

model::Parameter estimate_reads_among_verifies(const Samples& samples, const engine::LayoutMap& map,
                                               const model::Rotation& rotation) {
  const double period_ns = model::revolution_ns(rotation);
  const auto found = statistics::fit_threshold(trials_of_reads(samples, map, rotation),
                                               same_track_prior(period_ns));
  if (!found || found->error > 0.1 * period_ns)
    return model::absent("too few reads on one track could be timed", "ms");
  model::Parameter result;
  result.unit = "ms";
  result.value = found->value * 1e-6;
  result.error = found->error * 1e-6;
  result.samples = found->samples;
  return result;
}

}  // namespace platter::mtbrc
