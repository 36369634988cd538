#include "episodes/outcome.h"

#include <algorithm>
#include <cmath>

#include "model/splitmix.h"

namespace platter::episodes {
namespace {

// Whether an episode acts, and how much, are drawn apart.
enum class Stream : std::uint64_t { probability = 1, delay };

// In (0, 1): neither end is reached, so that logarithms are finite.
double uniform(std::uint64_t seed, Stream stream, std::size_t episode, const Request& request) {
  std::uint64_t state = model::mix(seed);
  state = model::mix(state ^ (static_cast<std::uint64_t>(stream) << 32 | episode));
  state = model::mix(state ^ request.drive);
  state = model::mix(state ^ request.ordinal);
  return (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
}

// The end of the window that holds a time; nullopt: none does. kLatest: it has none.
std::optional<Nanoseconds> window_end_ns(const Episode& episode, Nanoseconds time_ns) {
  if (time_ns < episode.from_ns) return std::nullopt;
  if (!episode.for_ns) return kLatest;
  const Nanoseconds since_ns = time_ns - episode.from_ns;
  const Nanoseconds within_ns = episode.every_ns ? since_ns % *episode.every_ns : since_ns;
  if (within_ns >= *episode.for_ns) return std::nullopt;
  return time_ns - within_ns + *episode.for_ns;
}

bool is_of(const Episode& episode, const Request& request) {
  if (episode.of && *episode.of != request.kind) return false;
  if (request.ordinal < episode.first_request || request.ordinal > episode.last_request ||
      request.ordinal % episode.every_nth != 0)
    return false;
  if (!episode.lbns) return true;
  return request.blocks > 0 && request.lbn <= episode.lbns->last &&
         request.blocks - 1 >= episode.lbns->first - std::min(episode.lbns->first, request.lbn);
}

double delay_ns(const Delay& delay, double draw) {
  switch (delay.distribution) {
    case Delay::Distribution::uniform:
      return delay.low + (delay.high - delay.low) * draw;
    case Delay::Distribution::exponential:
      return -delay.low * std::log(draw);
    case Delay::Distribution::constant:
      break;
  }
  return delay.low;
}

Nanoseconds later_by(Nanoseconds time_ns, double ns) {
  const auto room_ns = static_cast<double>(kLatest - time_ns);
  return ns >= room_ns ? kLatest : time_ns + std::llround(ns);
}

}  // namespace

std::uint64_t first_touched(const Episode& episode, const Request& request) {
  return episode.lbns ? std::max(episode.lbns->first, request.lbn) : request.lbn;
}

std::optional<Action> action_of(const Schedule& schedule, std::size_t index, const Request& request,
                                Nanoseconds due_ns) {
  const Episode& episode = schedule.episodes[index];
  const bool stalls = episode.what == What::stall;
  due_ns = std::min(due_ns, kLatest);
  const auto end_ns = window_end_ns(episode, stalls ? due_ns : request.arrival_ns);
  if (!end_ns || !is_of(episode, request)) return std::nullopt;
  if (episode.probability < 1 &&
      uniform(schedule.seed, Stream::probability, index, request) >= episode.probability)
    return std::nullopt;
  Action action{static_cast<std::uint32_t>(index), episode.what, due_ns};
  switch (episode.what) {
    case What::stall:
      action.due_ns = std::min(*end_ns, kLatest);
      break;
    case What::throttle:
      action.due_ns = later_by(
          due_ns, (episode.factor - 1) * static_cast<double>(due_ns - request.arrival_ns));
      break;
    case What::slow:
      action.due_ns = later_by(
          due_ns, delay_ns(episode.delay, uniform(schedule.seed, Stream::delay, index, request)));
      break;
    case What::fail:
      break;
    case What::stuck:
      action.due_ns = kNever;
      break;
  }
  return action;
}

}  // namespace platter::episodes
