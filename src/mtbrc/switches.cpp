#include "mtbrc/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "model/interruption.h"
#include "model/parameters.h"
#include "model/revolution.h"
#include "mtbrc/overheads.h"
#include "mtbrc/read_times.h"
#include "mtbrc/seek.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"
#include "mtbrc/write_supply.h"
#include "statistics/regression.h"
#include "statistics/threshold_by_place.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint32_t kTrialsOfOnePair = 6, kOfMany = 12;
constexpr std::size_t kFewestTrials = 30, kMostTrials = 600;

// Over what writes move to show their settle: to other heads of a cylinder, or to the cylinder
// beside.
enum class Over { heads, cylinders };

bool beside(const engine::Track& a, const engine::Track& b, Over over) {
  if (over == Over::heads) return a.cylinder == b.cylinder && a.head != b.head;
  return a.head == b.head && (a.cylinder + 1 == b.cylinder || b.cylinder + 1 == a.cylinder);
}

std::vector<engine::Track> tracks_beside(const Context& context, const engine::Track& track,
                                         Over over) {
  if (over == Over::heads) return others_of_cylinder(context, track);
  std::vector<engine::Track> found;
  for (const int step : {-1, 1})
    if (const auto other = neighbour(context, track, step)) found.push_back(*other);
  return found;
}

// The ways of a move that take each its time: to the next cylinder and to the one before, where
// seeks inward and outward differ; else one.
std::size_t ways_of(const ReadTimes& reads, Over over) {
  return over == Over::cylinders && reads.apart ? 2 : 1;
}
std::size_t way_of(std::int64_t group, std::size_t ways) { return ways > 1 && group < 0 ? 1 : 0; }

struct Moves {
  std::vector<statistics::CensoredTrial> trials;
  std::vector<std::uint32_t> cylinders;  // where each ended
};

Moves moves(const Samples& samples, const engine::LayoutMap& map, const model::Rotation& rotation,
            Over over, bool write, bool after_write, std::size_t way, std::size_t ways) {
  Moves found;
  found.trials = trials_of(samples, map, rotation, [&](const Sample& s) {
    const bool over_this = over == Over::heads ? s.experiment == Experiment::head_switch
                                               : s.experiment == Experiment::seek &&
                                                     (s.group == 1 || s.group == -1) &&
                                                     way_of(s.group, ways) == way;
    const bool wanted = over_this && s.write == write && s.after_write == after_write &&
                        s.after_completed_ns > 0;
    if (wanted) found.cylinders.push_back(map.track_of_slot(map.slot_of_lbn(s.lbn)).cylinder);
    return wanted;
  });
  return found;
}

// Trials between tracks beside each other, from place to place. `tracks` empty: anywhere. What
// comes before is of the same kind, or a read.
void run_switches(Context& context, bool write, bool after_write, Over over,
                  const std::vector<engine::Track>& tracks, double target_error_ms,
                  const SwitchOptions& options) {
  const engine::LayoutMap& map = *context.map;
  Trials trials(context);
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  // What earlier stages saw of the same counts.
  const ReadTimes reads = read_times(context.samples, map, context.rotation);
  const std::size_t ways = ways_of(reads, over);
  std::vector<Threshold> thresholds(ways, Threshold(trials.passages().period_ns(), reads.trial));
  for (std::size_t way = 0; way < ways; ++way)
    for (const statistics::CensoredTrial& kept :
         moves(context.samples, map, context.rotation, over, write, after_write, way, ways).trials)
      thresholds[way].add(kept);
  // Of both ways together, as of one.
  const auto count = [&] {
    std::size_t fewest = thresholds[0].trials();
    for (const Threshold& threshold : thresholds) fewest = std::min(fewest, threshold.trials());
    return ways * fewest;
  };
  const auto error_ns = [&] {
    double squares = 0;
    for (const Threshold& threshold : thresholds) squares += std::pow(threshold.error_ns(), 2);
    return std::sqrt(squares) / static_cast<double>(ways);
  };
  std::uint32_t failures = 0;
  const auto others = [&](const engine::Track& from) {
    std::vector<engine::Track> found;
    if (tracks.empty()) return tracks_beside(context, from, over);
    for (const engine::Track& t : tracks)
      if (beside(from, t, over)) found.push_back(t);
    if (over != Over::heads) return found;
    // As reads have it: heads beside each other, where there are such.
    std::vector<engine::Track> next;
    std::ranges::copy_if(found, std::back_inserter(next), [&from](const engine::Track& t) {
      return t.head + 1 == from.head || from.head + 1 == t.head;
    });
    return next.empty() ? found : next;
  };
  const auto pick = [&](const std::vector<engine::Track>& from) {
    return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(context.random)];
  };
  while (failures < 40 && !meter.exhausted() && count() < kMostTrials &&
         (count() < kFewestTrials || error_ns() > 1e6 * target_error_ms)) {
    std::optional<engine::Track> at = tracks.empty() ? random_track(context)
                                                     : std::optional(pick(tracks));
    if (!at) return;
    if (others(*at).empty() || !trials.go(*at, write)) {
      ++failures;
      continue;
    }
    // The way to a place costs as much as three trials there.
    const std::uint32_t here = count() < 2 * kFewestTrials ? kTrialsOfOnePair : kOfMany;
    for (std::uint32_t i = 0; i < here; ++i) {
      const auto candidates = others(*at);
      if (candidates.empty()) break;
      const engine::Track to = pick(candidates);
      if (write && !after_write && !trials.go(*at)) break;
      const bool heads = over == Over::heads;
      const std::int64_t group = heads ? pair_of_heads(*at, to)
                                       : std::int64_t{to.cylinder} - at->cylinder;
      if (!trials.trial(heads ? Experiment::head_switch : Experiment::seek, group, to, write,
                        thresholds[way_of(group, ways)])) {
        ++failures;
        break;
      }
      at = to;
    }
    context.report(write ? "write settle" : "head switch", meter.share());
  }
}

std::optional<statistics::Estimate> estimate_of(const std::optional<statistics::Threshold>& found,
                                                double period_ns) {
  if (!found || found->error > 0.1 * period_ns) return std::nullopt;
  return statistics::Estimate{found->value, found->error, found->samples};
}

// The move of an MTBRC; what a SEEK command says of it as well counts where it says the same.
statistics::Estimate borne_out_move(const ReadTimes& reads, const statistics::Estimate& mtbrc,
                                    std::optional<statistics::Estimate> command) {
  constexpr double kTolerance_ns = 15e3, kSigmas = 4;
  if (!reads.constant) command.reset();
  if (command) {
    const statistics::Estimate freed = reads.as_mtbrc(*command);
    if (std::abs(freed.value - mtbrc.value) >=
        kTolerance_ns + kSigmas * std::hypot(freed.error, mtbrc.error))
      command.reset();
  }
  return reads.move(mtbrc, command);
}

model::Parameter parameter(const statistics::Estimate& time, const std::string& method) {
  model::Parameter result;
  result.unit = "ms";
  result.method = method;
  result.value = time.value * 1e-6;
  result.error = time.error * 1e-6;
  result.samples = time.samples;
  return result;
}

// The seek to the next cylinder, for reads.
model::Parameter estimate_shortest_seek(const ReadTimes& reads) {
  if (!reads.still) return model::absent(reads.same_track.reason, "ms");
  const auto mtbrc = reads.of(reads.mtbrcs, 1);
  if (!mtbrc) return model::absent("too few seeks to the next cylinder could be timed", "ms");
  return parameter(borne_out_move(reads, *mtbrc, reads.of(reads.commands, 1)),
                   "MTBRC to the next cylinder, less MTBRC on one track");
}

// Whole tracks in the permitted ranges, two and two beside each other, so that there are many
// places.
std::vector<engine::Track> find_writable_tracks(Context& context,
                                                const std::vector<LbnRange>& permitted,
                                                std::size_t most, Over over) {
  const engine::LayoutMap& map = *context.map;
  std::vector<engine::Track> result;
  const auto known = [&](const engine::Track& track) {
    return std::any_of(result.begin(), result.end(),
                       [&](const engine::Track& t) { return t.first_slot == track.first_slot; });
  };
  for (int attempt = 0; attempt < 200 && result.size() < most && !permitted.empty(); ++attempt) {
    const LbnRange& range = permitted[static_cast<std::size_t>(attempt) % permitted.size()];
    if (range.first >= map.blocks()) continue;
    const std::uint64_t last = std::min(range.last, map.blocks() - 1);
    const std::uint64_t lbn = std::uniform_int_distribution<std::uint64_t>(range.first,
                                                                           last)(context.random);
    const engine::Track track = map.track_of_slot(map.slot_of_lbn(lbn));
    if (known(track) || !is_writable(context, track)) continue;
    result.push_back(track);
    std::size_t together = 1;
    for (const engine::Track& other : tracks_beside(context, track, over)) {
      if (together >= 2 || result.size() >= most) break;
      if (known(other) || !is_writable(context, other)) continue;
      result.push_back(other);
      ++together;
    }
  }
  std::erase_if(result,
                [&](const engine::Track& track) { return !learn_contents(context, track); });
  return result;
}

}  // namespace

std::vector<engine::Track> writable_tracks(Context& context, const std::vector<LbnRange>& permitted,
                                           std::size_t most) {
  return find_writable_tracks(context, permitted, most,
                              context.map->heads() > 1 ? Over::heads : Over::cylinders);
}

HeadSwitch measure_head_switch(Context& context, const SwitchOptions& options) {
  const engine::LayoutMap& map = *context.map;
  if (!estimate_same_track(context.samples, map, context.rotation))
    measure_same_track(context, false, false, 0.7 * options.target_error_ms);
  if (map.heads() > 1) {
    // SEEK commands are much cheaper; where they tell seeks, MTBRCs need only bear them out.
    const bool commands = read_times(context.samples, map, context.rotation).constant.has_value();
    run_switches(context, false, false, Over::heads, {},
                 (commands ? 1.5 : 1.0) * options.target_error_ms, options);
    if (commands) SeekCommands(context).switch_heads(options.commands, Meter(context));
  }
  return estimate_head_switch(context.samples, map, context.rotation);
}

void sharpen_constant(Context& context, const SwitchOptions& options) {
  const ReadTimes reads = read_times(context.samples, *context.map, context.rotation);
  if (!reads.constant || !reads.still_by_commands) return;
  const double wanted_ns = worth_ns(1e6 * options.constant_error_ms, reads.still->value);
  const double known_ns = reads.constant->error_ns;
  if (known_ns <= wanted_ns) return;
  // Of one more difference, so that both together are as good as wanted: its MTBRC and its SEEKs.
  const double more_ns = 1 / std::sqrt(1 / (wanted_ns * wanted_ns) - 1 / (known_ns * known_ns));
  constexpr double kOfTrials = 0.8, kOfCommands = 0.6;
  run_switches(context, false, false, Over::cylinders, {}, 1e-6 * kOfTrials * more_ns, options);
  const double ratio = reads.trial.spread / (kOfCommands * more_ns);
  constexpr double kMostCommands = 500;
  SeekCommands(context).measure(
      {1}, static_cast<std::size_t>(std::ceil(std::min(ratio * ratio, kMostCommands))),
      Meter(context));
}

HeadSwitch estimate_head_switch(const Samples& samples, const engine::LayoutMap& map,
                                const model::Rotation& rotation) {
  HeadSwitch result;
  if (map.heads() < 2) {
    result.time = model::absent("the drive has one head", "ms");
    return result;
  }
  const ReadTimes reads = read_times(samples, map, rotation);
  std::vector<statistics::CensoredTrial> all;
  std::map<std::int64_t, std::vector<statistics::CensoredTrial>> by_pair;
  Passages passages(map, rotation, write_unit(samples));
  for (const Sample& s : samples) {
    if (s.experiment == Experiment::hit) continue;
    const auto trial = passages.observe(s);
    if (!trial || s.experiment != Experiment::head_switch || s.write || s.after_write) continue;
    all.push_back(*trial);
    by_pair[s.group].push_back(*trial);
  }
  statistics::ThresholdPrior prior = reads.trial;
  const auto found = statistics::fit_threshold(all, prior);
  const auto time = estimate_of(found, passages.period_ns());
  if (!reads.still || !time) {
    result.time = model::absent(reads.still
                                    ? "too few head switches within a cylinder could be timed"
                                    : reads.same_track.reason,
                                "ms");
    return result;
  }
  result.time = parameter(borne_out_move(reads, *time, command_switch_time(samples)),
                          "MTBRC to another head, less MTBRC on one track");

  // Do pairs differ? Their scatter about the whole against what their errors explain.
  prior.spread = found->spread;
  prior.log_width = 0.3;
  double excess = 0, chi_squared = 0, pairs = 0;
  for (const auto& [pair, mine] : by_pair) {
    if (mine.size() < 6) continue;
    stop_if_asked();
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

namespace {

// Of writes that follow writes, or reads: where they move over heads or cylinders, and what that
// exceeds an access on the same track by.
struct SettleTrials {
  std::optional<statistics::Estimate> moved, same;
  double period_ns = 0;

  bool known() const { return moved && same; }
  double more_ns() const { return moved->value - same->value; }
  // A write's data come over the bus meanwhile: a move that is shorter shows nothing.
  bool hidden() const {
    constexpr double kShows_ns = 30e3, kSigmas = 2;
    return known() && more_ns() < kShows_ns + kSigmas * std::hypot(moved->error, same->error);
  }
};

SettleTrials settle_trials(const Samples& samples, const engine::LayoutMap& map,
                           const model::Rotation& rotation, Over over, bool after_write = true) {
  SettleTrials result;
  result.period_ns = model::revolution_ns(rotation);
  const ReadTimes reads = read_times(samples, map, rotation);
  const std::size_t ways = ways_of(reads, over);
  for (std::size_t way = 0; way < ways; ++way) {
    // Arms settle longer at one place than at another.
    const Moves seen = moves(samples, map, rotation, over, true, after_write, way, ways);
    const auto found = estimate_of(
        statistics::fit_threshold_by_place(seen.trials, seen.cylinders, reads.trial),
        result.period_ns);
    if (!found) return result;
    result.moved = result.moved ? statistics::midpoint(*result.moved, *found) : *found;
  }
  const model::Parameter same = estimate_same_track(samples, map, rotation, true, after_write);
  if (same) result.same = {*same.value * 1e6, same.error.value_or(0) * 1e6, same.samples};
  return result;
}

bool any_beside(const std::vector<engine::Track>& tracks, Over over) {
  return std::any_of(tracks.begin(), tracks.end(), [&](const engine::Track& a) {
    return std::any_of(tracks.begin(), tracks.end(),
                       [&](const engine::Track& b) { return beside(a, b, over); });
  });
}

}  // namespace

model::Parameter measure_write_settle(Context& context, const std::vector<LbnRange>& permitted,
                                      const SwitchOptions& options) {
  if (permitted.empty()) return model::absent("writes were not allowed (--allow-writes)", "ms");
  const engine::LayoutMap& map = *context.map;
  constexpr std::size_t kTracks = 24;
  // Writes behind reads take twice the time.
  constexpr double kCoarser = 1.4, kRoughly = 2.5;
  double target_ms = options.settle_error_ms;
  const Over over = map.heads() > 1 ? Over::heads : Over::cylinders;
  const std::vector<engine::Track> tracks = find_writable_tracks(context, permitted, kTracks, over);
  if (!any_beside(tracks, over))
    return model::absent(
        map.heads() > 1 ? "no two whole tracks of a cylinder lie in the ranges of --allow-writes"
                        : "no two neighbouring whole tracks lie in the ranges of --allow-writes",
        "ms");
  if (!estimate_same_track(context.samples, map, context.rotation, true, true))
    measure_same_track(context, true, true, target_ms, tracks);
  measure_write_supply(context, tracks, kCoarser * target_ms);
  const auto supply = write_supply(context.samples, map, context.rotation);
  const bool after_write = !supply || !supply->least;
  if (!after_write) target_ms *= kCoarser;
  // Roughly first: by how long the settle is follows how sharply it is wanted.
  run_switches(context, true, after_write, over, tracks, kRoughly * target_ms, options);
  if (const model::Parameter roughly = estimate_write_settle(context.samples, map,
                                                             context.rotation))
    target_ms = 1e-6 * worth_ns(1e6 * target_ms, 1e6 * *roughly.value);
  run_switches(context, true, after_write, over, tracks, target_ms, options);
  // A switch that is shorter than a write waits for its data hides behind that: a seek may not.
  if (over == Over::heads &&
      settle_trials(context.samples, map, context.rotation, over, after_write).hidden()) {
    const std::vector<engine::Track> others = find_writable_tracks(context, permitted, kTracks,
                                                                   Over::cylinders);
    if (any_beside(others, Over::cylinders)) {
      run_switches(context, true, after_write, Over::cylinders, others, target_ms, options);
      if (read_times(context.samples, map, context.rotation).constant)
        SeekCommands(context).measure({1}, options.commands, Meter(context));
    }
  }
  return estimate_write_settle(context.samples, map, context.rotation);
}

model::Parameter estimate_write_settle(const Samples& samples, const engine::LayoutMap& map,
                                       const model::Rotation& rotation) {
  Over over = map.heads() > 1 ? Over::heads : Over::cylinders;
  const auto supply = write_supply(samples, map, rotation);
  const bool after_write = !supply || !supply->least;
  SettleTrials trials = settle_trials(samples, map, rotation, over, after_write);
  if (over == Over::heads && trials.hidden()) {
    const SettleTrials others = settle_trials(samples, map, rotation, Over::cylinders, after_write);
    if (others.known()) {
      trials = others;
      over = Over::cylinders;
    }
  }
  const bool heads = over == Over::heads;
  if (!trials.moved)
    return model::absent(heads ? "too few writes to another head of a cylinder could be timed"
                               : "too few writes to the next cylinder could be timed",
                         "ms");
  if (!trials.same) return model::absent("too few accesses on one track could be timed", "ms");
  const model::Parameter move = heads ? estimate_head_switch(samples, map, rotation).time
                                      : estimate_shortest_seek(read_times(samples, map, rotation));
  if (!move) return model::absent(move.reason, "ms");
  const statistics::Estimate& still = after_write ? *trials.same : supply->begins;
  model::Parameter result = parameter(
      {trials.moved->value - still.value, std::hypot(trials.moved->error, still.error),
       trials.moved->samples},
      fmt::format("MTBRC of writes to {}, less MTBRC on one track, less {}",
                  heads ? "another head" : "the next cylinder",
                  heads ? "head switch" : "the seek"));
  *result.value -= *move.value;
  result.error = std::hypot(*result.error, move.error.value_or(0));
  if (!after_write) {
    result.method += ", whose data of several blocks tell when the first could come";
    result.reason =
        "a sum: less what passes from the beginning of a write's move to that of its data, "
        "which nothing outside of the drive shows";
    return result;
  }
  if (const model::Parameter data = estimate_write_data(samples, map, rotation)) {
    *result.value += *data.value;
    result.error = std::hypot(*result.error, data.error.value_or(0));
    result.method += write_unit(samples) == 1 ? ", plus one block's transfer"
                                              : ", plus what the writes wait for their data";
  }
  return result;
}

}  // namespace platter::mtbrc
