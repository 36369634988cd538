#include "mtbrc/seek_command.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "estimate/samples.h"
#include "estimate/seek_commands.h"
#include "model/error.h"
#include "mtbrc/track_reads.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {
namespace {

constexpr int kMostFailures = 4;
constexpr std::size_t kFewest = 4, kMost = 24;  // commands of one distance

}  // namespace

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
  if (!lbn || !accesses_.seek(estimate::Experiment::other, *lbn)) return false;
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
  const auto sample = lbn ? accesses_.seek(estimate::Experiment::seek_command, *lbn, move)
                          : std::nullopt;
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
  const double ratio = estimate::error_of_one_ns(times_by_move(true)) / error_ns;
  const std::size_t commands = std::clamp(static_cast<std::size_t>(std::ceil(ratio * ratio)),
                                          kFewest, kMost);
  return apart_ ? 2 * commands : commands;
}

// Where the commands of a distance disagree by far more than others do, something held one of them
// up: more of them tell which.
void SeekCommands::settle(const std::vector<std::uint32_t>& distances, const Meter& meter) {
  constexpr double kFar = 3;
  constexpr std::size_t kMore = 2;
  const std::size_t most = (apart_ ? 2 : 1) * 2 * kFewest;  // one of so many draws little
  for (bool more = true; more && !meter.exhausted();) {
    more = false;
    const estimate::TimesByMove times = times_by_move(apart_);
    const estimate::SeekTimes now = estimate::estimates_of(times, 2);
    const double spread = estimate::error_of_one_ns(times);
    for (const std::uint32_t distance : distances) {
      const std::size_t known = timed_[distance].commands();
      const auto disagrees = [&](std::int64_t move) {
        const auto found = now.find(move);
        return found != now.end() &&
               found->second.error >
                   kFar * spread / std::sqrt(static_cast<double>(found->second.samples));
      };
      if (known >= most || (!disagrees(distance) && !disagrees(-std::int64_t{distance}))) continue;
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

namespace {

struct Interval {
  std::uint32_t from, to;
  bool bent = false;  // the interval that it is a part of was
};

struct Look {
  Interval interval;
  std::uint32_t at;
};

std::vector<Interval> intervals_of(const estimate::SeekTimes& known) {
  std::vector<Interval> intervals;
  for (auto left = known.begin(); left != known.end() && std::next(left) != known.end(); ++left)
    intervals.push_back({static_cast<std::uint32_t>(left->first),
                         static_cast<std::uint32_t>(std::next(left)->first)});
  return intervals;
}

// One somewhere in an interval that seems straight, two in one that is bent.
struct Looks {
  std::vector<Look> smooth, bent;
};
Looks looks_into(const std::vector<Interval>& intervals, std::mt19937_64& random) {
  Looks looks;
  for (const Interval& i : intervals) {
    const std::uint32_t gap = i.to - i.from;
    if (gap < 2) continue;
    if (i.bent) {
      looks.bent.push_back({i, i.from + (gap + 2) / 3});
      if (gap > 2) looks.bent.push_back({i, i.to - (gap + 2) / 3});
    } else {
      looks.smooth.push_back({i, std::uniform_int_distribution<std::uint32_t>(
                                     std::max(i.from + 1, i.from + gap / 4),
                                     std::min(i.to - 1, i.to - gap / 4))(random)});
    }
  }
  return looks;
}

std::vector<std::uint32_t> distances_of(const std::vector<Look>& looks) {
  std::vector<std::uint32_t> distances;
  for (const Look& look : looks) distances.push_back(look.at);
  return distances;
}

bool is_off(const estimate::SeekTimes& now, const Look& look, double tolerance_ns, double sigmas) {
  const auto a = now.find(look.interval.from), b = now.find(look.interval.to),
             c = now.find(look.at);
  if (a == now.end() || b == now.end() || c == now.end()) return false;
  const double share = static_cast<double>(look.at - look.interval.from) /
                       (look.interval.to - look.interval.from);
  const double line = a->second.value + share * (b->second.value - a->second.value);
  return std::abs(c->second.value - line) > tolerance_ns + sigmas * c->second.error;
}

// The parts of the intervals in which a line is wrong. Looks into one interval follow one another,
// in ascending order.
std::vector<Interval> parts_of(const std::vector<Look>& looks,
                               const std::set<std::uint32_t>& begin_of_wrong) {
  std::vector<Interval> parts;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const Interval& whole = looks[i].interval;
    if (!begin_of_wrong.contains(whole.from)) continue;
    const bool first = i == 0 || looks[i - 1].interval.from != whole.from;
    const bool last = i + 1 == looks.size() || looks[i + 1].interval.from != whole.from;
    parts.push_back({first ? whole.from : looks[i - 1].at, looks[i].at, true});
    if (last) parts.push_back({looks[i].at, whole.to, true});
  }
  return parts;
}

}  // namespace

void SeekCommands::look_between(double tolerance_ns, double error_ns, const Meter& meter) {
  estimate::SeekTimes known = means(kFewest);
  known.erase(0);
  // All intervals of a round together, so that the arm's way through them may be any.
  for (auto open = intervals_of(known); !open.empty() && !meter.exhausted();) {
    auto [looks, bent] = looks_into(open, context_.random);
    // A glance at what has no reason to be bent; only where it seems so, as many as for any point.
    // Far out the curve is long and smooth, and each command slow: there half as many.
    constexpr std::size_t kGlances = 2;
    constexpr std::uint32_t kFarOut = 500;
    measure(distances_of(looks), kGlances / 2, meter);
    std::vector<std::uint32_t> near = distances_of(looks);
    std::erase_if(near, [](std::uint32_t distance) { return distance > kFarOut; });
    measure(near, kGlances, meter);
    settle(distances_of(looks), meter);
    const estimate::SeekTimes glanced = means(1);
    std::erase_if(looks,
                  [&](const Look& look) { return !is_off(glanced, look, tolerance_ns, 1.5); });
    looks.insert(looks.end(), bent.begin(), bent.end());
    sharpen(distances_of(looks), error_ns, meter);
    const estimate::SeekTimes looked = means(1);
    std::set<std::uint32_t> off;
    for (const Look& look : looks)
      if (is_off(looked, look, tolerance_ns, 2)) off.insert(look.interval.from);
    open = parts_of(looks, off);
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
      if (!lbn || !accesses_.seek(estimate::Experiment::head_switch, *lbn, pair_of_heads(*at_, to)))
        break;
      at_ = to;
      ++done;
    }
  }
}

estimate::TimesByMove SeekCommands::times_by_move(bool apart) const {
  estimate::TimesByMove times;
  for (const auto& [distance, mine] : timed_) {
    if (!mine.inward_ns.empty()) times[distance] = mine.inward_ns;
    if (mine.outward_ns.empty()) continue;
    std::vector<double>& outward = times[apart ? -std::int64_t{distance} : distance];
    outward.insert(outward.end(), mine.outward_ns.begin(), mine.outward_ns.end());
  }
  return times;
}

bool SeekCommands::directions_differ() {
  apart_ = apart_ || estimate::directions_differ(estimate::estimates_of(times_by_move(true), 2));
  return apart_;
}

estimate::SeekTimes SeekCommands::times(std::size_t least) const {
  return estimate::estimates_of(times_by_move(apart_), least);
}

estimate::SeekTimes SeekCommands::means(std::size_t least) const {
  if (!apart_) return times(least);
  estimate::SeekTimes result;
  const estimate::SeekTimes apart = times((least + 1) / 2);
  for (const auto& [move, inward] : apart) {
    const auto outward = apart.find(-move);
    if (move < 0 || outward == apart.end()) continue;
    result[move] = statistics::midpoint(inward, outward->second);
  }
  return result;
}

}  // namespace platter::mtbrc
