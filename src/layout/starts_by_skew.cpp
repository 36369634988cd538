#include "layout/starts_by_skew.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace platter::layout {
namespace {

constexpr double kRounding = 1e-9;

// start + skew * cycles lies in [low, low + 1).
struct Bound {
  double cycles = 0, low = 0;
};

// The numbers without wraps: what a skew `skew` from the first makes nearest.
std::vector<Bound> unwrapped(const std::vector<SeenStart>& seen, std::uint64_t sectors,
                             double skew) {
  std::vector<Bound> bounds;
  const auto turn = static_cast<double>(sectors);
  for (const SeenStart& start : seen) {
    const auto cycles = static_cast<double>(start.cycles);
    double low = static_cast<double>(start.number);
    if (!bounds.empty()) {
      const double expected = bounds.front().low + skew * (cycles - bounds.front().cycles);
      low += turn * std::round((expected - low) / turn);
    }
    bounds.push_back({cycles, low});
  }
  return bounds;
}

// The least and the greatest start at distance 0 that no bound forbids: corners of what is left.
std::optional<std::pair<double, double>> starts_left(const std::vector<Bound>& bounds) {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (const Bound& one : bounds) {
    for (const Bound& other : bounds) {
      if (one.cycles >= other.cycles) continue;
      for (const double from : {one.low, one.low + 1}) {
        for (const double to : {other.low, other.low + 1}) {
          const double skew = (to - from) / (other.cycles - one.cycles);
          const double start = from - skew * one.cycles;
          const bool allowed = std::ranges::all_of(bounds, [&](const Bound& bound) {
            const double there = start + skew * bound.cycles;
            return there >= bound.low - kRounding && there <= bound.low + 1 + kRounding;
          });
          if (!allowed) continue;
          least = std::min(least, start);
          greatest = std::max(greatest, start);
        }
      }
    }
  }
  if (least > greatest) return std::nullopt;
  return std::pair{least, greatest};
}

}  // namespace

std::optional<PossibleStarts> starts_by_skew(const std::vector<SeenStart>& seen,
                                             std::uint64_t sectors) {
  constexpr std::size_t kFewest = 2;
  if (seen.size() < kFewest) return std::nullopt;
  const auto next = std::ranges::adjacent_find(
      seen, [](const SeenStart& a, const SeenStart& b) { return b.cycles == a.cycles + 1; });
  if (next == seen.end()) return std::nullopt;
  // The skew is within one of this; wraps are told by that as long as a track has many sectors.
  const std::uint64_t skew = ((next + 1)->number + sectors - next->number) % sectors;
  const auto bounds = unwrapped(seen, sectors, static_cast<double>(skew));
  const auto left = starts_left(bounds);
  if (!left) return std::nullopt;
  // The greatest itself is forbidden: bounds are open there.
  const double low = std::floor(left->first + kRounding);
  PossibleStarts starts;
  const auto within_turn = [turn = static_cast<double>(sectors)](double number) {
    return static_cast<std::uint64_t>(number - turn * std::floor(number / turn));
  };
  starts.first = within_turn(low);
  starts.count = static_cast<std::uint64_t>(std::ceil(left->second - kRounding) - low);
  const bool whole = std::ranges::all_of(bounds, [&](const Bound& bound) {
    return bound.low - bounds.front().low ==
           static_cast<double>(skew) * (bound.cycles - bounds.front().cycles);
  });
  if (whole)
    starts.if_whole =
        within_turn(bounds.front().low - static_cast<double>(skew) * bounds.front().cycles);
  return starts;
}

}  // namespace platter::layout
