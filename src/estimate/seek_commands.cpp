#include "estimate/seek_commands.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "statistics/alike.h"

namespace platter::estimate {
namespace {

constexpr std::size_t kFewest = 4;    // commands of one kind
constexpr double kClock_ns = 1;       // what clocks tell; no time is surer
constexpr double kEfficiency = 1.03;  // of Huber's location, as a factor of the error

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

}  // namespace

SeekTimes estimates_of(const TimesByMove& times, std::size_t least) {
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

double error_of_one_ns(const TimesByMove& times) { return kEfficiency * spread_ns(times); }

SeekTimes command_times(const Samples& samples, bool apart, std::size_t least) {
  return estimates_of(times_by_move(samples, apart), least);
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

}  // namespace platter::estimate
