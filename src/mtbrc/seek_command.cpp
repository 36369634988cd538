#include "mtbrc/seek_command.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "model/error.h"
#include "mtbrc/track_reads.h"
#include "mtbrc/trials.h"
#include "statistics/alike.h"

namespace platter::mtbrc {
namespace {

constexpr int kMostFailures = 4;
constexpr std::size_t kFewest = 4, kMost = 24;  // commands of one distance
constexpr double kClock_ns = 1;                 // what clocks tell; no time is surer
constexpr double kEfficiency = 1.03;            // of Huber's location, as a factor of the error

using TimesByMove = std::map<std::int64_t, std::vector<double>>;

// Spread of one command, from what those of each move deviate from their median.
double spread_ns(const TimesByMove& times) {
  std::vector<double> deviations;
  for (const auto& [move, ns] : times) {
    if (ns.size() < 2 || move == 0) continue;
    const double middle = statistics::median(ns);
    const auto n = static_cast<double>(ns.size());
    for (double time : ns) deviations.push_back((time - middle) * std::sqrt(n / (n - 1)));
  }
  return std::max(statistics::clipped_deviation(deviations), kClock_ns);
}

// What moves nothing has no positioning noise, and its times are skewed by the host's long tail: a
// location of both is the same thing only where both scatter alike. These times, with what the
// others scatter more.
std::vector<double> as_if_moved(const std::vector<double>& ns, double spread) {
  constexpr std::array kGauss = {-1.64, -1.04, -0.67, -0.39, -0.13, 0.13, 0.39, 0.67, 1.04, 1.64};
  const double own = statistics::clipped_deviation(ns);
  const double more = std::sqrt(std::max(0.0, spread * spread - own * own));
  std::vector<double> moved;
  for (const double time : ns)
    for (const double z : kGauss) moved.push_back(time + z * more);
  return moved;
}

statistics::Estimate location_as_moved(const std::vector<double>& ns, double spread) {
  const auto n = static_cast<double>(ns.size());
  const auto found = statistics::huber_location(as_if_moved(ns, spread));
  return {found ? found->value : ns.front(), kEfficiency * statistics::mad_sigma(ns) / std::sqrt(n),
          ns.size()};
}

TimesByMove times_by_move(const Samples& samples, bool apart) {
  TimesByMove times;
  for (const Sample& s : samples)
    if (s.experiment == Experiment::seek_command)
      times[apart ? s.group : std::abs(s.group)].push_back(
          static_cast<double>(s.completed_ns - s.issued_ns));
  return times;
}

SeekTimes estimates(const TimesByMove& times, std::size_t least) {
  SeekTimes result;
  const double spread = spread_ns(times);
  for (const auto& [move, ns] : times) {
    if (ns.size() < std::max<std::size_t>(least, 1)) continue;
    const auto found = move == 0 ? std::optional(location_as_moved(ns, spread))
                                 : statistics::huber_location(ns);
    const double typical = (move == 0 ? kClock_ns : kEfficiency * spread) /
                           std::sqrt(static_cast<double>(ns.size()));
    if (found)
      result[move] = {found->value, std::max(found->error, typical), ns.size()};
    else
      result[move] = {ns.front(), typical, 1};
  }
  return result;
}

}  // namespace

SeekTimes command_times(const Samples& samples, bool apart, std::size_t least) {
  return estimates(times_by_move(samples, apart), least);
}

bool directions_differ(const SeekTimes& times) {
  std::vector<statistics::Estimate> inward_less_outward;  // by ascending distance
  for (auto in = times.upper_bound(0); in != times.end(); ++in)
    if (const auto out = times.find(-in->first); out != times.end())
      inward_less_outward.push_back({in->second.value - out->second.value,
                                     std::hypot(in->second.error, out->second.error), 1});
  return statistics::differ_from(inward_less_outward, 0);
}

std::optional<statistics::Estimate> command_switch_time(const Samples& samples) {
  std::vector<double> ns;
  for (const Sample& s : samples)
    if (s.experiment == Experiment::head_switch && s.blocks == 0)
      ns.push_back(static_cast<double>(s.completed_ns - s.issued_ns));
  if (ns.size() < kFewest) return std::nullopt;
  // A switch about as short as the positioning noise ends late as often as it can: its times are
  // skewed, and MTBRCs tell medians.
  auto found = statistics::median_estimate(ns);
  if (!found) return found;
  found->error = std::max(found->error, kClock_ns / std::sqrt(static_cast<double>(ns.size())));
  // Seeks are Huber's locations, which the host's tail pulls further than medians. Each direction
  // apart: what the two differ by is no spread.
  const TimesByMove seeks = times_by_move(samples, true);
  const auto still = seeks.find(0);
  if (still == seeks.end() || still->second.size() < kFewest) return found;
  const std::vector<double> moved = as_if_moved(still->second, spread_ns(seeks));
  if (const auto location = statistics::huber_location(moved))
    found->value += location->value - statistics::median(moved);
  return found;
}

std::optional<Constant> constant_between(const SeekTimes& commands, const SeekTimes& mtbrcs,
                                         std::size_t least) {
  constexpr double kTolerance_ns = 15e3, kSigmas = 4;
  constexpr std::size_t kMany = 7;
  std::map<std::int64_t, statistics::Estimate> differences;
  for (const auto& [move, mtbrc] : mtbrcs)
    if (const auto command = commands.find(move); command != commands.end())
      differences[move] = {command->second.value - mtbrc.value,
                           std::hypot(command->second.error, mtbrc.error), 1};
  Constant constant;
  while (differences.size() >= std::max<std::size_t>(least, 1)) {
    std::vector<statistics::Estimate> values;
    for (const auto& [move, difference] : differences) values.push_back(difference);
    const statistics::Estimate mean = statistics::weighted_mean(values);
    constant.value_ns = mean.value;
    constant.error_ns = mean.error;
    const auto too_far = [&](const auto& move_and_difference, double from) {
      const statistics::Estimate& difference = move_and_difference.second;
      return std::abs(difference.value - from) > kTolerance_ns + kSigmas * difference.error;
    };
    if (std::ranges::none_of(differences, [&](const auto& d) { return too_far(d, mean.value); }))
      return constant;
    // One that lies far off draws the mean to it: what most of them say is held against all.
    std::vector<double> times;
    for (const statistics::Estimate& value : values) times.push_back(value.value);
    const double middle = statistics::median(times);
    const auto off = std::ranges::find_if(differences,
                                          [&](const auto& d) { return too_far(d, middle); });
    if (constant.stranger || differences.size() < kMany || off == differences.end())
      return std::nullopt;
    constant.stranger = off->first;
    differences.erase(off);
  }
  return std::nullopt;
}

SeekCommands::SeekCommands(Context& context)
    : context_(context), map_(*context.map), accesses_(context) {}

bool SeekCommands::usable() {
  if (map_.blocks() > (std::uint64_t{1} << 32)) return false;
  const auto track = random_track(context_);
  try {
    return track && go(*track);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::unsupported) throw;
    return false;
  }
}

std::optional<std::uint64_t> SeekCommands::lbn_on(const engine::Track& track) {
  return readable_near(
      map_, track.first_slot, track.sectors,
      std::uniform_int_distribution<std::uint64_t>(0, track.sectors - 1)(context_.random));
}

// An arm arrives when a servo wedge passes: commands right behind one another would all begin at
// the same place between two wedges, and so all wait as long.
void SeekCommands::rest() {
  constexpr double kMost_rev = 0.05;
  context_.drive.rest_ns(static_cast<Nanoseconds>(std::uniform_real_distribution<double>(
      0, kMost_rev * context_.period_ns())(context_.random)));
}

bool SeekCommands::go(const engine::Track& track) {
  const auto lbn = lbn_on(track);
  at_.reset();
  if (!lbn || !accesses_.seek(Experiment::other, *lbn)) return false;
  at_ = track;
  return true;
}

bool SeekCommands::reachable(std::uint32_t distance) const {
  return at_ && (neighbour(context_, *at_, distance) ||
                 neighbour(context_, *at_, -std::int64_t{distance}));
}

bool SeekCommands::time_one(std::uint32_t distance) {
  Timed& mine = timed_[distance];
  if (!reachable(distance)) {
    const auto start = seek_start(context_, distance);
    if (!start || !go(*start)) {
      ++mine.failures;
      return false;
    }
  }
  std::int64_t move = mine.inward_ns.size() > mine.outward_ns.size() ? -std::int64_t{distance}
                                                                     : std::int64_t{distance};
  auto to = neighbour(context_, *at_, move);
  if (!to) {
    move = -move;
    to = neighbour(context_, *at_, move);
  }
  const auto lbn = to ? lbn_on(*to) : std::nullopt;
  rest();
  const auto sample = lbn ? accesses_.seek(Experiment::seek_command, *lbn, move) : std::nullopt;
  if (!sample) {
    at_.reset();
    ++mine.failures;
    return false;
  }
  at_ = to;
  (move > 0 ? mine.inward_ns : mine.outward_ns)
      .push_back(static_cast<double>(sample->completed_ns - sample->issued_ns));
  return true;
}

void SeekCommands::measure(std::vector<std::uint32_t> distances, std::size_t commands,
                           const Meter& meter) {
  const auto done = [&](std::uint32_t distance) {
    const Timed& mine = timed_[distance];
    return mine.commands() >= commands || mine.failures >= kMostFailures;
  };
  std::erase_if(distances, done);
  const std::size_t all = distances.size();
  while (!distances.empty() && !meter.exhausted()) {
    // One that can be had from here, if that is soon found.
    constexpr int kAttempts = 8;
    std::size_t chosen = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      chosen = std::uniform_int_distribution<std::size_t>(0, distances.size() - 1)(context_.random);
      if (reachable(distances[chosen])) break;
    }
    time_one(distances[chosen]);
    if (!done(distances[chosen])) continue;
    distances[chosen] = distances.back();
    distances.pop_back();
    context_.report("seek curve",
                    std::max(meter.share(),
                             1 - static_cast<double>(distances.size()) / static_cast<double>(all)));
  }
}

// Of both directions, as many as one takes where they are apart.
std::size_t SeekCommands::commands_for(double error_ns) const {
  const double ratio = kEfficiency * spread_ns(times_by_move(true)) / error_ns;
  const std::size_t commands = std::clamp(static_cast<std::size_t>(std::ceil(ratio * ratio)),
                                          kFewest, kMost);
  return apart_ ? 2 * commands : commands;
}

// Where the commands of a distance disagree by far more than others do, something held one of them
// up: more of them tell which.
void SeekCommands::settle(const std::vector<std::uint32_t>& distances, const Meter& meter) {
  constexpr double kFar = 3;
  constexpr std::size_t kMore = 2;
  for (bool more = true; more && !meter.exhausted();) {
    more = false;
    const TimesByMove times = times_by_move(apart_);
    const SeekTimes now = estimates(times, 2);
    const double spread = kEfficiency * spread_ns(times);
    for (const std::uint32_t distance : distances) {
      const std::size_t known = timed_[distance].commands();
      const auto disagrees = [&](std::int64_t move) {
        const auto found = now.find(move);
        return found != now.end() &&
               found->second.error >
                   kFar * spread / std::sqrt(static_cast<double>(found->second.samples));
      };
      if (known >= 2 * kMost || (!disagrees(distance) && !disagrees(-std::int64_t{distance})))
        continue;
      measure({distance}, known + kMore, meter);
      more = more || timed_[distance].commands() > known;
    }
  }
}

void SeekCommands::sharpen(const std::vector<std::uint32_t>& distances, double error_ns,
                           const Meter& meter) {
  measure(distances, kFewest, meter);
  measure(distances, commands_for(error_ns), meter);
  settle(distances, meter);
}

void SeekCommands::look_between(double tolerance_ns, double error_ns, const Meter& meter) {
  struct Interval {
    std::uint32_t from, to;
    bool bent = false;  // the interval that it is a part of was
  };
  struct Look {
    Interval interval;
    std::uint32_t at;
  };
  std::vector<Interval> open;
  SeekTimes known = means(kFewest);
  known.erase(0);
  for (auto left = known.begin(); left != known.end() && std::next(left) != known.end(); ++left)
    open.push_back({static_cast<std::uint32_t>(left->first),
                    static_cast<std::uint32_t>(std::next(left)->first)});
  // All intervals of a round together, so that the arm's way through them may be any.
  while (!open.empty() && !meter.exhausted()) {
    std::vector<Look> smooth, bent;
    for (const Interval& i : open) {
      const std::uint32_t gap = i.to - i.from;
      if (gap < 2) continue;
      if (i.bent) {
        bent.push_back({i, i.from + (gap + 2) / 3});
        if (gap > 2) bent.push_back({i, i.to - (gap + 2) / 3});
      } else {
        smooth.push_back({i, std::uniform_int_distribution<std::uint32_t>(
                                 std::max(i.from + 1, i.from + gap / 4),
                                 std::min(i.to - 1, i.to - gap / 4))(context_.random)});
      }
    }
    const auto is_off = [tolerance_ns](const SeekTimes& now, const Look& look, double sigmas) {
      const auto a = now.find(look.interval.from), b = now.find(look.interval.to),
                 c = now.find(look.at);
      if (a == now.end() || b == now.end() || c == now.end()) return false;
      const double share = static_cast<double>(look.at - look.interval.from) /
                           (look.interval.to - look.interval.from);
      const double line = a->second.value + share * (b->second.value - a->second.value);
      return std::abs(c->second.value - line) > tolerance_ns + sigmas * c->second.error;
    };
    const auto distances_of = [](const std::vector<Look>& looks) {
      std::vector<std::uint32_t> distances;
      for (const Look& look : looks) distances.push_back(look.at);
      return distances;
    };
    // A glance at what has no reason to be bent; only where it seems so, as many as for any point.
    constexpr std::size_t kGlances = 2;
    measure(distances_of(smooth), kGlances, meter);
    settle(distances_of(smooth), meter);
    const SeekTimes glanced = means(1);
    std::erase_if(smooth, [&](const Look& look) { return !is_off(glanced, look, 1.5); });
    std::vector<Look> looks = smooth;
    looks.insert(looks.end(), bent.begin(), bent.end());
    sharpen(distances_of(looks), error_ns, meter);
    const SeekTimes looked = means(1);
    std::set<std::uint32_t> off;  // beginnings of intervals in which a line is wrong
    for (const Look& look : looks)
      if (is_off(looked, look, 2)) off.insert(look.interval.from);
    // Looks into one interval follow one another, in ascending order.
    open.clear();
    for (std::size_t i = 0; i < looks.size(); ++i) {
      const Interval& whole = looks[i].interval;
      if (!off.contains(whole.from)) continue;
      const bool first = i == 0 || looks[i - 1].interval.from != whole.from;
      const bool last = i + 1 == looks.size() || looks[i + 1].interval.from != whole.from;
      open.push_back({first ? whole.from : looks[i - 1].at, looks[i].at, true});
      if (last) open.push_back({looks[i].at, whole.to, true});
    }
  }
}

void SeekCommands::switch_heads(std::size_t commands, const Meter& meter) {
  constexpr int kAtOnePlace = 8;
  int failures = 0;
  for (std::size_t done = 0; done < commands && failures < 20 && !meter.exhausted();) {
    const auto start = random_track(context_);
    if (!start || !go(*start)) {
      ++failures;
      continue;
    }
    for (int i = 0; i < kAtOnePlace; ++i) {
      const auto others = others_of_cylinder(context_, *at_);
      if (others.empty()) {
        ++failures;
        break;
      }
      const engine::Track& to =
          others[std::uniform_int_distribution<std::size_t>(0, others.size() - 1)(context_.random)];
      const auto lbn = lbn_on(to);
      rest();
      if (!lbn || !accesses_.seek(Experiment::head_switch, *lbn, pair_of_heads(*at_, to))) break;
      at_ = to;
      ++done;
    }
  }
}

SeekCommands::TimesByMove SeekCommands::times_by_move(bool apart) const {
  TimesByMove times;
  for (const auto& [distance, mine] : timed_) {
    if (!mine.inward_ns.empty()) times[distance] = mine.inward_ns;
    if (mine.outward_ns.empty()) continue;
    std::vector<double>& outward = times[apart ? -std::int64_t{distance} : distance];
    outward.insert(outward.end(), mine.outward_ns.begin(), mine.outward_ns.end());
  }
  return times;
}

bool SeekCommands::directions_differ() {
  apart_ = apart_ || mtbrc::directions_differ(estimates(times_by_move(true), 2));
  return apart_;
}

SeekTimes SeekCommands::times(std::size_t least) const {
  return estimates(times_by_move(apart_), least);
}

SeekTimes SeekCommands::means(std::size_t least) const {
  if (!apart_) return times(least);
  SeekTimes result;
  const SeekTimes apart = times((least + 1) / 2);
  for (const auto& [move, inward] : apart) {
    const auto outward = apart.find(-move);
    if (move < 0 || outward == apart.end()) continue;
    result[move] = statistics::midpoint(inward, outward->second);
  }
  return result;
}

}  // namespace platter::mtbrc
