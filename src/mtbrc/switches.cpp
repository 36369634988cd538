#include "mtbrc/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mtbrc/overheads.h"
#include "mtbrc/seek.h"
#include "mtbrc/trials.h"
#include "statistics/regression.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint32_t kTrialsAtOnePlace = 6;
constexpr std::size_t kMostTrials = 600;

std::int64_t pair_of(const engine::Track& from, const engine::Track& to) {
  return std::int64_t{from.head} * 65536 + to.head;
}

// Tracks of a cylinder that hold LBNs, other than `but`.
std::vector<engine::Track> others_of_cylinder(const engine::LayoutMap& map,
                                              const engine::Track& but) {
  std::vector<engine::Track> others;
  for (std::uint32_t head = 0; head < map.heads(); ++head) {
    if (head == but.head) continue;
    const auto track = map.track_at(but.cylinder, head);
    if (track && holds_lbns(map, *track)) others.push_back(*track);
  }
  return others;
}

// Tracks from which a write settle shows: the other heads of a cylinder; where there is but one
// head, the cylinders beside it.
bool beside(const engine::LayoutMap& map, const engine::Track& a, const engine::Track& b) {
  if (map.heads() > 1) return a.cylinder == b.cylinder && a.head != b.head;
  return a.cylinder + 1 == b.cylinder || b.cylinder + 1 == a.cylinder;
}

std::vector<engine::Track> tracks_beside(const engine::LayoutMap& map, const engine::Track& track) {
  if (map.heads() > 1) return others_of_cylinder(map, track);
  std::vector<engine::Track> found;
  const auto add = [&](std::uint32_t cylinder) {
    const auto other = map.track_at(cylinder, track.head);
    if (other && holds_lbns(map, *other)) found.push_back(*other);
  };
  if (track.cylinder > 0) add(track.cylinder - 1);
  if (track.cylinder + 1 < map.cylinders()) add(track.cylinder + 1);
  return found;
}

// Trials between tracks beside each other, from place to place. `tracks` empty: anywhere.
void run_switches(Context& context, bool write, const std::vector<engine::Track>& tracks,
                  const SwitchOptions& options) {
  const engine::LayoutMap& map = *context.map;
  Trials trials(context);
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  Threshold threshold(trials.passages().period_ns());
  std::uint32_t failures = 0;
  const auto others = [&](const engine::Track& from) {
    std::vector<engine::Track> found;
    if (tracks.empty()) return tracks_beside(map, from);
    for (const engine::Track& t : tracks)
      if (beside(map, from, t)) found.push_back(t);
    return found;
  };
  const auto pick = [&](const std::vector<engine::Track>& from) {
    return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(context.random)];
  };
  while (failures < 40 && !meter.exhausted() && threshold.trials() < kMostTrials &&
         (threshold.trials() < 60 || threshold.error_ns() > 1e6 * options.target_error_ms)) {
    std::optional<engine::Track> at =
        tracks.empty() ? random_track(map, context.random) : std::optional(pick(tracks));
    if (!at) return;
    if (others(*at).empty() || !trials.go(*at, write)) {
      ++failures;
      continue;
    }
    for (std::uint32_t i = 0; i < kTrialsAtOnePlace; ++i) {
      const auto candidates = others(*at);
      if (candidates.empty()) break;
      const engine::Track to = pick(candidates);
      const bool heads = map.heads() > 1;
      if (!trials.trial(heads ? Experiment::head_switch : Experiment::seek,
                        heads ? pair_of(*at, to) : std::int64_t{to.cylinder} - at->cylinder, to,
                        write, threshold)) {
        ++failures;
        break;
      }
      at = to;
    }
    context.report(write ? "write settle" : "head switch", meter.share());
  }
}

model::Parameter difference(const statistics::Threshold& threshold, const model::Parameter& less,
                            const std::string& method) {
  model::Parameter result;
  result.unit = "ms";
  result.method = method;
  result.value = threshold.value * 1e-6 - *less.value;
  result.error = std::hypot(threshold.error * 1e-6, less.error.value_or(0));
  result.samples = threshold.samples;
  return result;
}

model::Parameter absent(const std::string& reason) {
  model::Parameter result;
  result.unit = "ms";
  result.reason = reason;
  return result;
}

// The seek to the next cylinder, for reads.
model::Parameter estimate_shortest_seek(const Samples& samples, const engine::LayoutMap& map,
                                        const model::Rotation& rotation) {
  const model::Parameter same = estimate_same_track(samples, map, rotation);
  if (!same) return absent(same.reason);
  const auto trials = trials_of(samples, map, rotation, [](const Sample& s) {
    return s.experiment == Experiment::seek && std::abs(s.group) == 1 && !s.write;
  });
  const double period =
      static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator);
  const auto found = statistics::fit_threshold(trials, trial_prior(period));
  if (!found || found->error > 0.1 * period)
    return absent("too few seeks to the next cylinder could be timed");
  return difference(*found, same, "MTBRC to the next cylinder, less MTBRC on one track");
}

}  // namespace

std::vector<engine::Track> writable_tracks(Context& context,
                                           const std::vector<LbnRange>& permitted,
                                           std::size_t most) {
  const engine::LayoutMap& map = *context.map;
  std::vector<engine::Track> result;
  const auto whole = [&](const engine::Track& track) {
    if (!holds_lbns(map, track)) return false;
    for (std::uint64_t slot = track.first_slot; slot < track.first_slot + track.sectors; ++slot) {
      const auto lbn = map.lbn_of_slot(slot);
      if (lbn && !context.drive.may_write(*lbn, 1)) return false;
    }
    return true;
  };
  const auto known = [&](const engine::Track& track) {
    return std::any_of(result.begin(), result.end(),
                       [&](const engine::Track& t) { return t.first_slot == track.first_slot; });
  };
  for (int attempt = 0; attempt < 200 && result.size() < most && !permitted.empty(); ++attempt) {
    const LbnRange& range = permitted[static_cast<std::size_t>(attempt) % permitted.size()];
    if (range.first >= map.blocks()) continue;
    const std::uint64_t last = std::min(range.last, map.blocks() - 1);
    const std::uint64_t lbn =
        std::uniform_int_distribution<std::uint64_t>(range.first, last)(context.random);
    const engine::Track track = map.track_of_slot(map.slot_of_lbn(lbn));
    if (known(track) || !whole(track)) continue;
    result.push_back(track);
    std::size_t together = 1;
    for (const engine::Track& other : tracks_beside(map, track)) {
      if (together >= 4 || result.size() >= most) break;
      if (known(other) || !whole(other)) continue;
      result.push_back(other);
      ++together;
    }
  }
  for (const engine::Track& track : result)
    for (std::uint64_t slot = track.first_slot; slot < track.first_slot + track.sectors; ++slot)
      if (const auto lbn = map.lbn_of_slot(slot); lbn && !map.is_remapped(*lbn)) {
        // One command for each stretch of consecutive LBNs.
        std::uint64_t end = slot + 1;
        std::uint32_t blocks = 1;
        while (end < track.first_slot + track.sectors && blocks < 128 &&
               map.lbn_of_slot(end) == std::optional(*lbn + blocks) &&
               !map.is_remapped(*lbn + blocks)) {
          ++end;
          ++blocks;
        }
        context.drive.learn_contents(*lbn, blocks);
        slot = end - 1;
      }
  return result;
}

HeadSwitch measure_head_switch(Context& context, const SwitchOptions& options) {
  if (!estimate_same_track(context.samples, *context.map, context.rotation))
    measure_same_track(context, false, false, 0.7 * options.target_error_ms);
  if (context.map->heads() > 1) run_switches(context, false, {}, options);
  return estimate_head_switch(context.samples, *context.map, context.rotation);
}

HeadSwitch estimate_head_switch(const Samples& samples, const engine::LayoutMap& map,
                                const model::Rotation& rotation) {
  HeadSwitch result;
  if (map.heads() < 2) {
    result.time = absent("the drive has one head");
    return result;
  }
  const model::Parameter same = estimate_same_track(samples, map, rotation);
  std::vector<statistics::CensoredTrial> all;
  std::map<std::int64_t, std::vector<statistics::CensoredTrial>> by_pair;
  Passages passages(map, rotation);
  for (const Sample& s : samples) {
    if (s.experiment == Experiment::hit) continue;
    const auto trial = passages.observe(s);
    if (!trial || s.experiment != Experiment::head_switch || s.write || s.after_write) continue;
    all.push_back(*trial);
    by_pair[s.group].push_back(*trial);
  }
  statistics::ThresholdPrior prior = trial_prior(passages.period_ns());
  const auto found = statistics::fit_threshold(all, prior);
  if (!same || !found || found->error > 0.1 * passages.period_ns()) {
    result.time =
        absent(same ? "too few head switches within a cylinder could be timed" : same.reason);
    return result;
  }
  result.time = difference(*found, same, "MTBRC to another head, less MTBRC on one track");

  // Do pairs differ? Their scatter about the whole against what their errors explain.
  prior.spread = found->spread;
  prior.log_width = 0.3;
  double excess = 0, chi_squared = 0, pairs = 0;
  for (const auto& [pair, mine] : by_pair) {
    if (mine.size() < 6) continue;
    const auto one = statistics::fit_threshold(mine, prior);
    if (!one || one->error > 3 * found->spread) continue;
    const double off = one->value - found->value;
    chi_squared += off * off / (one->error * one->error);
    excess += off * off - one->error * one->error;
    pairs += 1;
  }
  // A chi-squared of n has mean n and standard deviation sqrt(2 n); five of them are beyond chance.
  if (pairs >= 3 && chi_squared > 1.5 * pairs + 5 * std::sqrt(2 * pairs)) {
    result.uniform = false;
    result.spread_ms = std::sqrt(std::max(excess, 0.0) / pairs) * 1e-6;
    result.notes.push_back(
        fmt::format("head switches differ between pairs of heads: {:.3f} ms standard deviation "
                    "over {:.0f} pairs",
                    result.spread_ms, pairs));
  }
  return result;
}

model::Parameter measure_write_settle(Context& context,
                                      const std::vector<LbnRange>& permitted,
                                      const SwitchOptions& options) {
  if (permitted.empty()) return absent("writes were not permitted");
  const engine::LayoutMap& map = *context.map;
  const std::vector<engine::Track> tracks = writable_tracks(context, permitted, 24);
  const bool pairs = std::any_of(tracks.begin(), tracks.end(), [&](const engine::Track& a) {
    return std::any_of(tracks.begin(), tracks.end(),
                       [&](const engine::Track& b) { return beside(map, a, b); });
  });
  if (!pairs)
    return absent(map.heads() > 1
                      ? "no two whole tracks of a cylinder lie in the permitted ranges"
                      : "no two whole tracks beside each other lie in the permitted ranges");
  if (!estimate_same_track(context.samples, *context.map, context.rotation, true, true))
    measure_same_track(context, true, true, 0.7 * options.target_error_ms, tracks);
  run_switches(context, true, tracks, options);
  return estimate_write_settle(context.samples, *context.map, context.rotation);
}

model::Parameter estimate_write_settle(const Samples& samples, const engine::LayoutMap& map,
                                       const model::Rotation& rotation) {
  const bool heads = map.heads() > 1;
  const model::Parameter move = heads ? estimate_head_switch(samples, map, rotation).time
                                      : estimate_shortest_seek(samples, map, rotation);
  const model::Parameter same = estimate_same_track(samples, map, rotation, true, true);
  const auto trials = trials_of(samples, map, rotation, [&](const Sample& s) {
    return s.experiment == (heads ? Experiment::head_switch : Experiment::seek) && s.write &&
           s.after_write;
  });
  const double period =
      static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator);
  const auto found = statistics::fit_threshold(trials, trial_prior(period));
  if (!found || found->error > 0.1 * period)
    return absent(heads ? "too few writes to another head of a cylinder could be timed"
                        : "too few writes to the next cylinder could be timed");
  if (!same) return absent(same.reason);
  if (!move) return absent(move.reason);
  model::Parameter result = difference(
      *found, same,
      heads ? "MTBRC of writes to another head, less MTBRC on one track, less head switch"
            : "MTBRC of writes to the next cylinder, less MTBRC on one track, less the seek");
  *result.value -= *move.value;
  result.error = std::hypot(*result.error, move.error.value_or(0));
  if (const model::Parameter transfer = estimate_block_transfer(samples, rotation)) {
    *result.value += *transfer.value;
    result.error = std::hypot(*result.error, transfer.error.value_or(0));
    result.method += ", plus one block's transfer";
  }
  return result;
}

}  // namespace platter::mtbrc
