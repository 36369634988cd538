#include "mtbrc/switches.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "estimate/moves.h"
#include "estimate/write_settle.h"
#include "model/parameters.h"
#include "mtbrc/known.h"
#include "mtbrc/seek.h"
#include "mtbrc/seek_command.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"
#include "mtbrc/write_supply.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint32_t kTrialsOfOnePair = 6, kOfMany = 12;
constexpr std::size_t kFewestTrials = 30, kMostTrials = 600;

bool beside(const engine::Track& a, const engine::Track& b, estimate::Over over) {
  if (over == estimate::Over::heads) return a.cylinder == b.cylinder && a.head != b.head;
  return a.head == b.head && (a.cylinder + 1 == b.cylinder || b.cylinder + 1 == a.cylinder);
}

std::vector<engine::Track> tracks_beside(const Context& context, const engine::Track& track,
                                         estimate::Over over) {
  if (over == estimate::Over::heads) return others_of_cylinder(context, track);
  std::vector<engine::Track> found;
  for (const int step : {-1, 1})
    if (const auto other = neighbour(context, track, step)) found.push_back(*other);
  return found;
}

// Trials between tracks beside each other, from place to place. `tracks` empty: anywhere. What
// comes before is of the same kind, or a read.
class Switches {
 public:
  Switches(Context& context, bool write, bool after_write, estimate::Over over,
           std::vector<engine::Track> tracks, const SwitchOptions& options)
      : context_(context),
        write_(write),
        after_write_(after_write),
        over_(over),
        tracks_(std::move(tracks)),
        trials_(context),
        meter_(context, is_limited(context) ? context.budget : options.budget) {
    begin_with_what_is_known();
  }

  void run(double target_error_ms);

 private:
  static bool is_limited(const Context& context) {
    return context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  }
  void begin_with_what_is_known();
  std::size_t count() const;
  double error_ns() const;
  std::vector<engine::Track> others(const engine::Track& from) const;
  engine::Track pick(const std::vector<engine::Track>& from) {
    return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(context_.random)];
  }
  bool try_around(engine::Track at);
  bool try_switch(const engine::Track& from, const engine::Track& to);

  Context& context_;
  bool write_, after_write_;
  estimate::Over over_;
  std::vector<engine::Track> tracks_;
  Trials trials_;
  Meter meter_;
  std::vector<Threshold> thresholds_;  // of each way
};

// What earlier stages saw of the same counts.
void Switches::begin_with_what_is_known() {
  estimate::Estimates so_far = known(context_);
  const estimate::ReadTimes reads = so_far.of<Figure::read_times>();
  const std::size_t ways = estimate::ways_of(reads, over_);
  thresholds_.assign(ways, Threshold(trials_.passages().period_ns(), reads.trial));
  for (std::size_t way = 0; way < ways; ++way)
    for (const statistics::CensoredTrial& kept :
         estimate::moves_of(so_far.evidence(), over_, write_, after_write_, way, ways).trials)
      thresholds_[way].add(kept);
}

// Of both ways together, as of one.
std::size_t Switches::count() const {
  std::size_t fewest = thresholds_[0].trials();
  for (const Threshold& threshold : thresholds_) fewest = std::min(fewest, threshold.trials());
  return thresholds_.size() * fewest;
}

double Switches::error_ns() const {
  double squares = 0;
  for (const Threshold& threshold : thresholds_) squares += std::pow(threshold.error_ns(), 2);
  return std::sqrt(squares) / static_cast<double>(thresholds_.size());
}

std::vector<engine::Track> Switches::others(const engine::Track& from) const {
  if (tracks_.empty()) return tracks_beside(context_, from, over_);
  std::vector<engine::Track> found;
  for (const engine::Track& t : tracks_)
    if (beside(from, t, over_)) found.push_back(t);
  if (over_ != estimate::Over::heads) return found;
  // As reads have it: heads beside each other, where there are such.
  std::vector<engine::Track> next;
  std::ranges::copy_if(found, std::back_inserter(next), [&from](const engine::Track& t) {
    return t.head + 1 == from.head || from.head + 1 == t.head;
  });
  return next.empty() ? found : next;
}

bool Switches::try_switch(const engine::Track& from, const engine::Track& to) {
  const bool heads = over_ == estimate::Over::heads;
  const std::int64_t group = heads ? pair_of_heads(from, to)
                                   : std::int64_t{to.cylinder} - from.cylinder;
  return trials_.trial(heads ? estimate::Experiment::head_switch : estimate::Experiment::seek,
                       group, to, write_, thresholds_[estimate::way_of(group, thresholds_.size())]);
}

// False: the place does not do, or a trial failed there.
bool Switches::try_around(engine::Track at) {
  if (others(at).empty() || !trials_.go(at, write_)) return false;
  bool well = true;
  // The way to a place costs as much as three trials there.
  const std::uint32_t here = count() < 2 * kFewestTrials ? kTrialsOfOnePair : kOfMany;
  for (std::uint32_t i = 0; i < here && well; ++i) {
    const auto candidates = others(at);
    if (candidates.empty()) break;
    const engine::Track to = pick(candidates);
    if (write_ && !after_write_ && !trials_.go(at)) break;
    well = try_switch(at, to);
    at = to;
  }
  context_.report(write_ ? "write settle" : "head switch", meter_.share());
  return well;
}

void Switches::run(double target_error_ms) {
  constexpr std::uint32_t kMostFailures = 40;
  std::uint32_t failures = 0;
  while (failures < kMostFailures && !meter_.exhausted() && count() < kMostTrials &&
         (count() < kFewestTrials || error_ns() > 1e6 * target_error_ms)) {
    const auto at = tracks_.empty() ? random_track(context_) : std::optional(pick(tracks_));
    if (!at) return;
    if (!try_around(*at)) ++failures;
  }
}

// Whole tracks in the permitted ranges, two and two beside each other, so that there are many
// places.
std::vector<engine::Track> find_writable_tracks(Context& context,
                                                const std::vector<LbnRange>& permitted,
                                                std::size_t most, estimate::Over over) {
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
  return find_writable_tracks(
      context, permitted, most,
      context.map->heads() > 1 ? estimate::Over::heads : estimate::Over::cylinders);
}

void measure_head_switch(Context& context, const SwitchOptions& options) {
  const engine::LayoutMap& map = *context.map;
  if (!known(context).of<Figure::same_track>().of(false, false))
    measure_same_track(context, false, false, 0.7 * options.target_error_ms);
  if (map.heads() > 1) {
    // SEEK commands are much cheaper; where they tell seeks, MTBRCs need only bear them out.
    const bool commands = known(context).of<Figure::read_times>().constant.has_value();
    Switches(context, false, false, estimate::Over::heads, {}, options)
        .run((commands ? 1.5 : 1.0) * options.target_error_ms);
    if (commands) SeekCommands(context).switch_heads(options.commands, Meter(context));
  }
}

void sharpen_constant(Context& context, const SwitchOptions& options) {
  const estimate::ReadTimes reads = known(context).of<Figure::read_times>();
  if (!reads.constant || !reads.still_by_commands) return;
  const double wanted_ns = worth_ns(1e6 * options.constant_error_ms, reads.still->value);
  const double known_ns = reads.constant->error_ns;
  if (known_ns <= wanted_ns) return;
  // Of one more difference, so that both together are as good as wanted: its MTBRC and its SEEKs.
  const double more_ns = 1 / std::sqrt(1 / (wanted_ns * wanted_ns) - 1 / (known_ns * known_ns));
  constexpr double kOfTrials = 0.8, kOfCommands = 0.6;
  Switches(context, false, false, estimate::Over::cylinders, {}, options)
      .run(1e-6 * kOfTrials * more_ns);
  const double ratio = reads.trial.spread / (kOfCommands * more_ns);
  constexpr double kMostCommands = 500;
  SeekCommands(context).measure(
      {1}, static_cast<std::size_t>(std::ceil(std::min(ratio * ratio, kMostCommands))),
      Meter(context));
}

namespace {

bool any_beside(const std::vector<engine::Track>& tracks, estimate::Over over) {
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
  // Writes behind reads take twice the time.
  constexpr double kCoarser = 1.4, kRoughly = 2.5;
  double target_ms = options.settle_error_ms;
  const estimate::Over over = map.heads() > 1 ? estimate::Over::heads : estimate::Over::cylinders;
  const std::vector<engine::Track> tracks = find_writable_tracks(context, permitted, options.tracks,
                                                                 over);
  if (!any_beside(tracks, over))
    return model::absent(
        map.heads() > 1 ? "no two whole tracks of a cylinder lie in the ranges of --allow-writes"
                        : "no two neighbouring whole tracks lie in the ranges of --allow-writes",
        "ms");
  if (!known(context).of<Figure::same_track>().of(true, true))
    measure_same_track(context, true, true, target_ms, tracks);
  measure_write_supply(context, tracks, kCoarser * options.supply_error_ms);
  const auto supply = known(context).of<Figure::write_supply>();
  const bool after_write = !supply || !supply->least;
  if (!after_write) target_ms *= kCoarser;
  // Roughly first: by how long the settle is follows how sharply it is wanted.
  Switches(context, true, after_write, over, tracks, options).run(kRoughly * target_ms);
  if (const model::Parameter roughly = known(context).of<Figure::write_settle>())
    target_ms = 1e-6 * worth_ns(1e6 * target_ms, 1e6 * *roughly.value);
  Switches(context, true, after_write, over, tracks, options).run(target_ms);
  // A switch that is shorter than a write waits for its data hides behind that: a seek may not.
  const auto hidden = [&] {
    estimate::Estimates so_far = known(context);
    return estimate::settle_is_hidden(so_far.evidence(), so_far.of<Figure::same_track>(),
                                      so_far.of<Figure::read_times>(), over, after_write);
  };
  if (over == estimate::Over::heads && hidden()) {
    const std::vector<engine::Track> others = find_writable_tracks(
        context, permitted, options.tracks, estimate::Over::cylinders);
    if (any_beside(others, estimate::Over::cylinders)) {
      Switches(context, true, after_write, estimate::Over::cylinders, others, options)
          .run(target_ms);
      if (known(context).of<Figure::read_times>().constant)
        SeekCommands(context).measure({1}, options.commands, Meter(context));
    }
  }
  return known(context).of<Figure::write_settle>();
}

}  // namespace platter::mtbrc
