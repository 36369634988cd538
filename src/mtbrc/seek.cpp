#include "mtbrc/seek.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "estimate/same_track.h"
#include "estimate/seek_commands.h"
#include "estimate/trial_prior.h"
#include "mtbrc/known.h"
#include "mtbrc/seek_command.h"
#include "mtbrc/time_watch.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint32_t kTrialsAtOnePlace = 8;
constexpr std::size_t kLeastTrials = 10;
constexpr double kCoarser = 4;  // than the grid, where time is short

struct Point {
  Threshold threshold;
  std::uint32_t failures = 0;  // places tried in vain
  std::size_t asked = 0;       // trials, those that told nothing among them
};

// Chooses pairs of tracks of one head, `d` cylinders apart, and runs the trials.
class SeekSurvey {
 public:
  SeekSurvey(Context& context, const SeekOptions& options)
      : context_(context),
        options_(options),
        map_(*context.map),
        trials_(context),
        commands_(context),
        meter_(context, context.budget.commands > 0 || context.budget.drive_time_ns > 0
                            ? context.budget
                            : options.budget) {}

  void run();

 private:
  using Points = std::map<std::uint32_t, Point>;

  std::vector<std::uint32_t> grid(std::uint32_t most_beyond_500);
  std::vector<std::uint32_t> compared(const std::vector<std::uint32_t>& grid) const;
  bool by_commands(const std::vector<std::uint32_t>& grid);
  bool commands_agree(const std::vector<std::uint32_t>& grid);
  bool agree_in_one_session(const std::vector<std::uint32_t>& grid);
  void by_trials(const std::vector<std::uint32_t>& grid);
  // Of both directions together, or of each one.
  std::span<Points> kinds() { return std::span(points_).first(apart_ ? 2 : 1); }
  Points& points_of(bool inward) { return points_[apart_ && !inward ? 1 : 0]; }
  std::int64_t move_of(std::uint32_t distance, std::size_t kind) const {
    return kind == 0 ? std::int64_t{distance} : -std::int64_t{distance};
  }
  bool open(const Point& point, double target_ns, std::size_t fewest) const;
  Point& point_at(Points& points, std::uint32_t distance);
  bool some_trials(std::uint32_t distance);
  void measure(std::uint32_t distance, double target_ns);
  void compare_directions(const std::vector<std::uint32_t>& grid);
  Threshold fresh_threshold(const Points& points, std::uint32_t distance) const;
  bool add_where_bent();
  bool sharpen_worst();
  static double interpolation_error_ns(const Points& points, Points::const_iterator left,
                                       double* noise_ns);

  Context& context_;
  SeekOptions options_;
  const engine::LayoutMap& map_;
  Trials trials_;
  SeekCommands commands_;
  Meter meter_;
  bool apart_ = false;  // each direction has its points
  std::array<Points, 2> points_;
};

// From the neighbours that are known: linear between them; as unsure as they differ.
Threshold SeekSurvey::fresh_threshold(const Points& points, std::uint32_t distance) const {
  std::optional<std::pair<double, double>> below, above;
  for (const auto& [d, point] : points) {
    const auto found = point.threshold.estimate();
    if (!found || point.threshold.trials() < 6) continue;
    if (d < distance) below = {d, found->value};
    if (d > distance && !above) above = {d, found->value};
  }
  const double period = trials_.passages().period_ns();
  constexpr double kLeast_rev = 0.02;
  if (below && above) {
    const double step = above->second - below->second;
    const double guess = below->second +
                         step * (distance - below->first) / (above->first - below->first);
    return Threshold(period, guess, kLeast_rev * period + 0.25 * std::abs(step));
  }
  if (below || above) return Threshold(period, (below ? below : above)->second, 0.1 * period);
  return Threshold(period);
}

Point& SeekSurvey::point_at(Points& points, std::uint32_t distance) {
  const auto known = points.find(distance);
  if (known != points.end()) return known->second;
  return points.emplace(distance, Point{fresh_threshold(points, distance), 0}).first->second;
}

// Some of one distance at one place, to and fro. False: none told anything.
bool SeekSurvey::some_trials(std::uint32_t distance) {
  const auto start = seek_start(context_, distance);
  if (!start || !trials_.go(*start)) return false;
  engine::Track at = *start;
  std::uint32_t told = 0;
  for (std::uint32_t i = 0; i < kTrialsAtOnePlace; ++i) {
    const bool inward = std::bernoulli_distribution(0.5)(context_.random);
    std::int64_t move = inward ? std::int64_t{distance} : -std::int64_t{distance};
    auto to = neighbour(context_, at, move);
    if (!to) {
      move = -move;
      to = neighbour(context_, at, move);
    }
    if (!to) break;
    Point& point = point_at(points_of(move > 0), distance);
    ++point.asked;
    const bool good = trials_.trial(estimate::Experiment::seek, move, *to, false, point.threshold);
    told += good ? 1 : 0;
    at = *to;
    if (!good && !trials_.go(at)) break;
  }
  return told > 0;
}

bool SeekSurvey::open(const Point& point, double target_ns, std::size_t fewest) const {
  // Where most trials tell nothing, more of them will not either.
  constexpr std::size_t kInVain = 48;
  return point.failures < 8 && point.asked < kInVain + 3 * point.threshold.trials() &&
         point.threshold.trials() < options_.most_trials &&
         (point.threshold.trials() < fewest || point.threshold.error_ns() > target_ns);
}

void SeekSurvey::measure(std::uint32_t distance, double target_ns) {
  for (Points& points : kinds()) {
    Point& point = point_at(points, distance);
    while (!meter_.exhausted() && open(point, target_ns, kLeastTrials / kinds().size()))
      if (!some_trials(distance)) ++point.failures;
  }
  context_.report("seek curve", meter_.share());
}

// How far a straight line from this point to the next may be from the curve: a quarter of the gap's
// square times the larger second difference at its ends, over two. `noise_ns`: its standard error.
double SeekSurvey::interpolation_error_ns(const Points& points, Points::const_iterator left,
                                          double* noise_ns) {
  const auto right = std::next(left);
  const double gap = static_cast<double>(right->first) - left->first;
  double bend = 0, noise = 0;
  const auto bend_at = [&](Points::const_iterator middle) {
    if (middle == points.begin() || std::next(middle) == points.end()) return;
    const auto a = std::prev(middle), c = std::next(middle);
    const auto ya = a->second.threshold.estimate(), yb = middle->second.threshold.estimate(),
               yc = c->second.threshold.estimate();
    if (!ya || !yb || !yc) return;
    const double ab = static_cast<double>(middle->first) - a->first;
    const double bc = static_cast<double>(c->first) - middle->first;
    const double second = 2 * ((yc->value - yb->value) / bc - (yb->value - ya->value) / ab) /
                          (ab + bc);
    if (std::abs(second) > bend) {
      bend = std::abs(second);
      noise = 2 / (ab + bc) *
              std::hypot(yc->error / bc, ya->error / ab, yb->error * (1 / bc + 1 / ab));
    }
  };
  bend_at(left);
  bend_at(right);
  *noise_ns = noise * gap * gap / 8;
  return bend * gap * gap / 8;
}

// Halves the interval in which a straight line is worst. False: none is bad enough.
bool SeekSurvey::add_where_bent() {
  double worst = options_.target_interpolation_ms * 1e6;
  std::uint32_t middle = 0;
  for (const Points& points : kinds()) {
    for (auto left = points.cbegin(); std::next(left) != points.cend(); ++left) {
      const std::uint32_t from = left->first, to = std::next(left)->first;
      if (to - from < 2) continue;
      double noise = 0;
      const double error = interpolation_error_ns(points, left, &noise) - noise;
      if (error <= worst) continue;
      worst = error;
      middle = from + (to - from) / 2;
    }
  }
  if (middle == 0) return false;
  measure(middle, 1e6 * options_.grid_error_ms);
  return true;
}

bool SeekSurvey::sharpen_worst() {
  Point* worst = nullptr;
  std::uint32_t distance = 0;
  for (Points& points : kinds()) {
    for (auto& [d, point] : points) {
      if (!open(point, 1e6 * options_.target_error_ms, 0)) continue;
      if (worst != nullptr && point.threshold.error_ns() <= worst->threshold.error_ns()) continue;
      worst = &point;
      distance = d;
    }
  }
  if (worst == nullptr) return false;
  if (!some_trials(distance)) ++worst->failures;
  return true;
}

// DIXtrac's distances (section 4.2): each to 10, every 2nd to 20, 5th to 50, 10th to 100, 25th to
// 500, 100th beyond; further apart beyond 500 on drives of many cylinders.
std::vector<std::uint32_t> grid_up_to(std::uint32_t longest, std::uint32_t most_beyond_500) {
  std::vector<std::uint32_t> distances;
  const std::uint32_t hundreds = longest > 500 ? (longest - 500) / 100 : 0;
  const std::uint32_t far = 100 * (1 + hundreds / std::max(most_beyond_500, 1u));
  for (std::uint32_t d = 1; d < longest; d += d < 10    ? 1
                                              : d < 20  ? 2
                                              : d < 50  ? 5
                                              : d < 100 ? 10
                                              : d < 500 ? 25
                                                        : far)
    distances.push_back(d);
  distances.push_back(longest);
  return distances;
}

// Distances of which each is about double the one before: the longest, the shortest, and so on,
// every other one first.
std::vector<std::uint32_t> doubling(const std::vector<std::uint32_t>& grid) {
  std::vector<std::uint32_t> chosen;
  for (auto it = grid.rbegin(); it != grid.rend(); ++it)
    if (chosen.empty() || 2 * std::uint64_t{*it} <= chosen.back()) chosen.push_back(*it);
  if (chosen.back() != grid.front()) chosen.push_back(grid.front());
  std::vector<std::uint32_t> ordered{chosen.front()};
  if (chosen.size() > 1) ordered.push_back(chosen.back());
  for (const std::size_t first : {2u, 1u})
    for (std::size_t i = first; i + 1 < chosen.size(); i += 2) ordered.push_back(chosen[i]);
  return ordered;
}

std::vector<std::uint32_t> SeekSurvey::grid(std::uint32_t most_beyond_500) {
  std::uint32_t longest = map_.cylinders() - 1;
  // The longest may start and end on spare cylinders: come down until tracks are found.
  while (longest > 1 && !seek_start(context_, longest)) longest -= 1 + longest / 1000;
  return grid_up_to(longest, most_beyond_500);
}

// Some distances all along the grid.
std::vector<std::uint32_t> SeekSurvey::compared(const std::vector<std::uint32_t>& grid) const {
  const std::size_t wanted = std::min<std::size_t>(options_.compared, grid.size());
  std::vector<std::uint32_t> distances;
  for (std::size_t i = 0; i < wanted; ++i)
    distances.push_back(grid[wanted > 1 ? i * (grid.size() - 1) / (wanted - 1) : 0]);
  return distances;
}

// These by MTBRC: what SEEK told before places the trials. False as soon as no constant lies
// between the two.
bool SeekSurvey::commands_agree(const std::vector<std::uint32_t>& grid) {
  constexpr std::size_t kFewest = 3;
  const std::vector<std::uint32_t> distances = compared(grid);
  const estimate::SeekTimes told = commands_.times();
  const double period = trials_.passages().period_ns();
  estimate::SeekTimes mtbrcs;
  // Where time is short, every other one roughly before any is seen sharply.
  struct Round {
    double error_ms;
    std::size_t stride;
  };
  const Round sharp{options_.compared_error_ms, 1};
  const std::vector<Round> rounds =
      context_.limited() ? std::vector<Round>{{kCoarser * options_.grid_error_ms, 2}, sharp}
                         : std::vector<Round>{sharp};
  // As many trials, whether they are of one kind or of two.
  const double of_one = std::sqrt(static_cast<double>(kinds().size()));
  for (const auto& [error_ms, stride] : rounds) {
    for (std::size_t i = 0; i < distances.size(); i += stride) {
      const std::uint32_t distance = distances[i];
      const auto so_far = estimate::constant_between(told, mtbrcs, 1);
      bool all_told = true;
      for (std::size_t kind = 0; kind < kinds().size(); ++kind) {
        const auto command = told.find(move_of(distance, kind));
        all_told = all_told && command != told.end();
        if (command == told.end()) continue;
        points_[kind].try_emplace(
            distance, Point{so_far ? Threshold(period, command->second.value - so_far->value_ns,
                                               0.01 * period)
                                   : Threshold(period, command->second.value, 0.1 * period),
                            0});
      }
      if (!all_told) continue;
      measure(distance, 1e6 * of_one * error_ms);
      for (std::size_t kind = 0; kind < kinds().size(); ++kind)
        if (const auto found = points_[kind].at(distance).threshold.estimate())
          mtbrcs[move_of(distance, kind)] = {found->value, found->error, found->samples};
      if (mtbrcs.size() >= kFewest && !estimate::constant_between(told, mtbrcs, kFewest))
        return false;
    }
  }
  return estimate::constant_between(told, mtbrcs, std::min<std::size_t>(distances.size(), 4))
      .has_value();
}

// Behind a jump of time what was compared before it may tell nothing any more: once again.
bool SeekSurvey::agree_in_one_session(const std::vector<std::uint32_t>& grid) {
  for (int again = 3;; --again) {
    const std::uint32_t session = context_.session;
    const bool agree = commands_agree(grid);
    if (context_.time != nullptr && context_.time->has_stepped()) context_.time->look();
    if (context_.session == session || again == 0 || meter_.exhausted()) return agree;
    points_ = {};
  }
}

// The curve by SEEK commands. False: they are no measure of the drive's seeks.
bool SeekSurvey::by_commands(const std::vector<std::uint32_t>& grid) {
  const double error_ns = 1e6 * options_.command_error_ms;
  constexpr std::size_t kStill = 120, kRoughly = 4;
  {
    // Where time is short, half of it stays for the MTBRCs that bear the commands out, or replace
    // them.
    Budget half = context_.budget;
    half.commands /= 2;
    half.drive_time_ns /= 2;
    const PartOfTime first(context_, 0.5);
    const Meter of_commands(context_, half);
    if (context_.limited()) {
      std::vector<std::uint32_t> rough = doubling(grid);
      for (const std::uint32_t distance : compared(grid))
        if (std::ranges::find(rough, distance) == rough.end()) rough.push_back(distance);
      commands_.measure(rough, kRoughly, of_commands);
    }
    commands_.sharpen(grid, error_ns, of_commands);
    apart_ = commands_.directions_differ();
    if (apart_) commands_.sharpen(grid, error_ns, of_commands);
    commands_.measure({0}, kStill, of_commands);
    commands_.measure(compared(grid), kinds().size() * options_.compared_commands, of_commands);
  }
  if (!agree_in_one_session(grid)) return false;
  commands_.look_between(1e6 * options_.command_tolerance_ms, error_ns, meter_);
  // With all that was seen since, the ways may be told apart that could not be before.
  if (!apart_ && commands_.directions_differ()) commands_.sharpen(grid, error_ns, meter_);
  return true;
}

// Where no SEEK command tells: MTBRCs of some distances, each direction for itself.
void SeekSurvey::compare_directions(const std::vector<std::uint32_t>& grid) {
  apart_ = true;
  std::vector<std::uint32_t> distances = compared(grid);
  std::ranges::reverse(distances);
  for (const std::uint32_t distance : distances)
    measure(distance, 1e6 * kCoarser / 2 * options_.grid_error_ms);
  estimate::SeekTimes told;
  for (std::size_t kind = 0; kind < kinds().size(); ++kind)
    for (const auto& [distance, point] : points_[kind])
      if (const auto found = point.threshold.estimate())
        told[move_of(distance, kind)] = {found->value, found->error, found->samples};
  apart_ = estimate::directions_differ(told);
}

void SeekSurvey::by_trials(const std::vector<std::uint32_t>& grid) {
  // Every eighth first: whatever the budget, the whole curve is seen; then the short ones, which no
  // neighbour tells; then those between. Each helps to guess those beside it.
  // Where time is short, the whole curve is seen roughly at first.
  if (context_.limited()) {
    for (const std::uint32_t distance : doubling(grid))
      measure(distance, 1e6 * kCoarser * options_.grid_error_ms);
  } else {
    compare_directions(grid);
  }
  const auto measure_some = [&](const auto& wanted, double share) {
    for (std::size_t i = grid.size(); i-- > 0;)
      if (wanted(i) && meter_.share() < share) measure(grid[i], 1e6 * options_.grid_error_ms);
  };
  const auto every = [&](std::size_t stride) {
    return [&grid, stride](std::size_t i) { return (grid.size() - 1 - i) % stride == 0; };
  };
  measure_some(every(8), 1.0);
  measure_some([&](std::size_t i) { return grid[i] <= 10; }, 1.0);
  for (const std::size_t stride : {4u, 2u, 1u}) measure_some(every(stride), options_.grid_share);
  while (!meter_.exhausted() && add_where_bent()) {
  }
  while (!meter_.exhausted() && sharpen_worst()) context_.report("seek curve", meter_.share());
}

void SeekSurvey::run() {
  if (commands_.usable() && by_commands(grid(options_.most_beyond_500))) return;
  points_ = {};
  by_trials(grid(options_.most_trialled_beyond_500));
}

}  // namespace

void measure_same_track(Context& context, bool write, bool after_write, double target_error_ms,
                        const std::vector<engine::Track>& tracks,
                        std::optional<std::uint32_t> blocks) {
  Trials trials(context);
  Meter meter(context);
  // What earlier stages saw of the same counts.
  Threshold threshold(trials.passages().period_ns(),
                      estimate::same_track_prior(trials.passages().period_ns()));
  {
    estimate::Estimates so_far = known(context);
    for (const statistics::CensoredTrial& kept : estimate::same_track_trials(
             so_far.evidence(), so_far.of<Figure::same_track>().kind(write, after_write, blocks)))
      threshold.add(kept);
  }

  std::uint32_t failures = 0;
  constexpr std::size_t kMostTrials = 600;
  constexpr double kGlance_ms = 0.01;
  const std::size_t fewest = target_error_ms > kGlance_ms ? 12 : 24;
  while (failures < 12 && !meter.exhausted() && threshold.trials() < kMostTrials &&
         (threshold.trials() < fewest || threshold.error_ns() > 1e6 * target_error_ms)) {
    std::optional<engine::Track> track;
    if (tracks.empty()) {
      track = random_track(context);
    } else {
      track =
          tracks[std::uniform_int_distribution<std::size_t>(0, tracks.size() - 1)(context.random)];
    }
    if (!track) return;
    std::uint32_t told = 0;
    for (std::uint32_t i = 0; i < kTrialsAtOnePlace; ++i) {
      // What comes before is of the kind asked for; a trial is itself what comes before the next
      // if both are of one kind.
      if (!trials.passages().ready(write) && !trials.go(*track, write)) break;
      if ((i == 0 || write != after_write) && !trials.go(*track, after_write)) break;
      told += trials.trial(estimate::Experiment::same_track, 0, *track, write, threshold, blocks)
                  ? 1
                  : 0;
    }
    if (told == 0) ++failures;
  }
}

estimate::Seeks measure_seeks(Context& context, const SeekOptions& options) {
  {
    const PartOfTime little(context, 0.2);
    measure_same_track(context, false, false, 0.4 * options.target_error_ms);
  }
  SeekSurvey(context, options).run();
  return known(context).of<Figure::seeks>();
}

}  // namespace platter::mtbrc
