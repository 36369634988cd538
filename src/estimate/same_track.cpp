#include "estimate/same_track.h"

#include <utility>

#include "estimate/trial_prior.h"
#include "model/parameters.h"

namespace platter::estimate {
namespace {

// By kind, in the order of time.
std::map<SameTrack::Kind, std::vector<statistics::CensoredTrial>> trials_by_kind(
    const Evidence& evidence) {
  std::map<SameTrack::Kind, std::vector<statistics::CensoredTrial>> trials;
  for (const bool write : {false, true})
    for (const auto& [access, told] : evidence.trials(Experiment::same_track, write))
      if (access->after_completed_ns > 0)
        trials[{write, access->after_write, access->verify, access->blocks}].push_back(told);
  return trials;
}

}  // namespace

std::vector<statistics::CensoredTrial> same_track_trials(const Evidence& evidence,
                                                         const SameTrack::Kind& kind) {
  auto trials = trials_by_kind(evidence);
  return std::move(trials[kind]);
}

SameTrack::Kind SameTrack::kind(bool write, bool after_write,
                                std::optional<std::uint32_t> blocks) const {
  return {write, after_write, !write && by_verifies, blocks.value_or(write ? write_unit : 1)};
}

model::Parameter SameTrack::of(bool write, bool after_write,
                               std::optional<std::uint32_t> blocks) const {
  model::Parameter result;
  result.unit = "ms";
  result.method = "MTBRC on one track";
  const auto it = found.find(kind(write, after_write, blocks));
  if (it == found.end() || it->second.error > 0.1 * period_ns) {
    result.reason = "too few accesses on one track could be timed";
    return result;
  }
  result.value = it->second.value * 1e-6;
  result.error = it->second.error * 1e-6;
  result.samples = it->second.samples;
  return result;
}

model::Parameter SameTrack::reads_among_verifies() const {
  const auto it = found.find({});
  if (!by_verifies || it == found.end() || it->second.error > 0.1 * period_ns)
    return model::absent("too few reads on one track could be timed", "ms");
  model::Parameter result;
  result.unit = "ms";
  result.value = it->second.value * 1e-6;
  result.error = it->second.error * 1e-6;
  result.samples = it->second.samples;
  return result;
}

std::optional<double> SameTrack::late_share() const {
  const auto it = found.find(kind(false, false));
  if (it == found.end()) return std::nullopt;
  return it->second.late_share;
}

SameTrack estimate_same_track(const Evidence& evidence) {
  SameTrack result;
  result.period_ns = evidence.period_ns();
  result.write_unit = evidence.write_unit();
  result.by_verifies = evidence.by_verifies();
  for (const auto& [kind, mine] : trials_by_kind(evidence))
    if (const auto fit = statistics::fit_threshold(mine, same_track_prior(result.period_ns)))
      result.found.emplace(kind, *fit);
  return result;
}

}  // namespace platter::estimate
