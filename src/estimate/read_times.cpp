#include "estimate/read_times.h"

#include <array>
#include <cmath>

#include "estimate/seek_commands.h"
#include "estimate/trial_prior.h"
#include "model/interruption.h"

namespace platter::estimate {
namespace {

// A spread for all thresholds of a kind: what most of them say.
statistics::ThresholdPrior pooled_prior(
    const std::map<std::int64_t, std::vector<statistics::CensoredTrial>>& trials,
    double period_ns) {
  statistics::ThresholdPrior prior = trial_prior(period_ns);
  std::vector<double> spreads;
  for (const auto& [move, mine] : trials) {
    stop_if_asked();
    if (const auto fit = statistics::fit_threshold(mine, prior); fit && mine.size() >= 20)
      spreads.push_back(fit->spread);
  }
  if (spreads.size() < 5) return prior;
  prior.spread = statistics::median(spreads);
  prior.log_width = 0.3;
  return prior;
}

// What SEEK says of a read that moves nothing, if the MTBRC on one track says about the same: later
// by up to the mean of what noise can only delay, 0.4 of its sigma.
std::optional<statistics::Estimate> still_by_commands(const ReadTimes& reads) {
  constexpr double kLate = 0.45, kSigmas = 4, kTolerance_ns = 5e3;
  constexpr std::uint64_t kFewest = 8;
  const auto command = reads.commands.find(0);
  if (!reads.constant || command == reads.commands.end() || command->second.samples < kFewest)
    return std::nullopt;
  statistics::Estimate still = reads.as_mtbrc(command->second);
  still.error = std::hypot(still.error, reads.constant->error_ns);
  const double late = *reads.same_track.value * 1e6 - still.value;
  const double unsure = kTolerance_ns +
                        kSigmas * std::hypot(still.error, reads.same_track.error.value_or(0) * 1e6);
  if (late < -unsure || late > kLate * reads.trial.spread + unsure) return std::nullopt;
  return still;
}

}  // namespace

std::optional<statistics::Estimate> ReadTimes::of(const SeekTimes& times,
                                                  std::uint32_t distance) const {
  const auto inward = times.find(distance), outward = times.find(-std::int64_t{distance});
  if (inward == times.end()) return std::nullopt;
  if (!apart) return inward->second;
  if (outward == times.end()) return std::nullopt;
  return statistics::midpoint(inward->second, outward->second);
}

statistics::Estimate ReadTimes::as_mtbrc(const statistics::Estimate& command) const {
  return {command.value - constant->value_ns, command.error, command.samples};
}

statistics::Estimate ReadTimes::move(const std::optional<statistics::Estimate>& mtbrc,
                                     const std::optional<statistics::Estimate>& command) const {
  std::optional<statistics::Estimate> moved = mtbrc;
  // Measured from the still SEEK, what an MTBRC says is unsure by the constant, too; measured from
  // the still MTBRC, what a SEEK says.
  if (moved && still_by_commands) moved->error = std::hypot(moved->error, constant->error_ns);
  if (command) {
    statistics::Estimate freed = as_mtbrc(*command);
    if (!still_by_commands) freed.error = std::hypot(freed.error, constant->error_ns);
    moved = moved ? statistics::weighted_mean(std::array{*moved, freed}) : freed;
  }
  const double of_still = still_by_commands ? commands.at(0).error : still->error;
  // Chosen: the host's tail shows less in what scatters by itself, as moves do, than in what moves
  // nothing, by a quarter of what its locations differ by (bench/noise.py).
  constexpr double kOfHost = 0.25;
  return {moved->value - still->value, std::hypot(moved->error, of_still, kOfHost * host_unsure_ns),
          moved->samples};
}

namespace {

using TrialsByMove = std::map<std::int64_t, std::vector<statistics::CensoredTrial>>;

// The moves that MTBRCs and commands tell, each direction apart or both together.
void find_moves(const Samples& samples, const TrialsByMove& trials, double period_ns, bool apart,
                ReadTimes& reads) {
  reads.apart = apart;
  reads.trial = pooled_prior(trials, period_ns);
  reads.mtbrcs.clear();
  for (const auto& [move, mine] : trials) {
    stop_if_asked();
    const auto found = statistics::fit_threshold(mine, reads.trial);
    if (!found || found->error > 0.05 * period_ns) continue;
    reads.mtbrcs[move] = {found->value, found->error, found->samples};
  }
  // Of a distance that both ways have, half as many of each tell as much.
  constexpr std::size_t kLeast = 4;
  reads.commands = command_times(samples, apart, apart ? kLeast / 2 : kLeast);
  reads.constant = constant_between(reads.commands, reads.mtbrcs);
  if (reads.constant && reads.constant->stranger) reads.mtbrcs.erase(*reads.constant->stranger);
}

}  // namespace

ReadTimes estimate_read_times(const Evidence& evidence, const SameTrack& same_track) {
  ReadTimes reads;
  reads.same_track = same_track.of(false, false);
  TrialsByMove by_way, by_distance;
  for (const auto& [access, told] : evidence.trials(Experiment::seek, false)) {
    by_way[access->group].push_back(told);
    by_distance[std::abs(access->group)].push_back(told);
  }
  const Samples& samples = evidence.samples();
  const double period = evidence.period_ns();
  find_moves(samples, by_way, period, true, reads);
  // SEEK commands of a direction are many, but count only where MTBRCs say the same.
  if (!directions_differ(reads.constant ? reads.commands : reads.mtbrcs))
    find_moves(samples, by_distance, period, false, reads);
  if (!reads.same_track) return reads;
  reads.still = still_by_commands(reads);
  reads.still_by_commands = reads.still.has_value();
  if (!reads.still)
    reads.still = statistics::Estimate{*reads.same_track.value * 1e6,
                                       reads.same_track.error.value_or(0) * 1e6,
                                       reads.same_track.samples};
  reads.host_unsure_ns = evidence.host_unsure_ns();
  return reads;
}

}  // namespace platter::estimate
