#include "extract/what_was_noisy.h"

#include <fmt/core.h>

#include "engine/layout_map.h"
#include "estimate/estimates.h"
#include "estimate/host.h"
#include "estimate/passages.h"
#include "estimate/phase_drift.h"
#include "estimate/samples.h"
#include "noise/host_delay.h"

namespace platter::extract {
namespace {

// A completion so far from where an even rotation has it is taken for that of another passage
// (mtbrc/passages.cpp); with wander of half of that many are.
constexpr double kTooMuchWander_rev = 0.02;

std::optional<std::string> wander(const estimate::Samples& samples,
                                  const model::DriveModel& model) {
  if (model.rotation.numerator_ns == 0) return std::nullopt;
  const double wander_rev = estimate::PhaseDrift(samples, model.rotation).wander_rev();
  if (wander_rev < kTooMuchWander_rev) return std::nullopt;
  return fmt::format(
      "the spindle is too noisy: the phase of one sector wanders by {:.3f} revolutions (RMS) about "
      "an even rotation; seeks, switches and overheads are less sure than they say, and rotational "
      "positions are not foretold",
      wander_rev);
}

std::optional<std::string> late_accesses(const estimate::Samples& samples,
                                         const model::DriveModel& model) {
  constexpr double kMany = 0.1;
  if (model.layout.zones.empty() || model.rotation.numerator_ns == 0) return std::nullopt;
  const engine::LayoutMap map(model.layout);
  const auto share = estimate::Estimates(samples, &map, model.rotation)
                         .of<estimate::Figure::same_track>()
                         .late_share();
  if (!share || *share < kMany) return std::nullopt;
  return fmt::format(
      "about {:.0f} % of the reads on one track were held up by something before they reached the "
      "media; the numbers are of the others, and this model does not hold accesses up",
      100 * *share);
}

}  // namespace

model::Notes what_was_noisy(const estimate::Samples& samples, const model::DriveModel& model) {
  model::Notes notes;
  const auto add = [&notes](model::Code code, std::optional<std::string> sentence) {
    if (sentence) notes.emplace_back(code, std::move(*sentence));
  };
  const double period_ms = model::revolution_ns(model.rotation) * 1e-6;
  if (const auto host = estimate::host_delay(samples); host && period_ms > 0) {
    constexpr double kPull = estimate::Passages::kMostPull_rev;
    const bool too_noisy = noise::quietness(*host, period_ms, kPull * period_ms) ==
                           noise::Quietness::too_noisy;
    add(too_noisy ? model::Code::host_too_noisy : model::Code::host_noisy,
        noise::told(*host, period_ms, kPull * period_ms, estimate::host_shares(samples)));
  }
  add(model::Code::host_noisy, noise::told_changes(estimate::round_trips_by_stage(samples)));
  add(model::Code::spindle_noisy, wander(samples, model));
  add(model::Code::accesses_held_up, late_accesses(samples, model));
  return notes;
}

}  // namespace platter::extract
