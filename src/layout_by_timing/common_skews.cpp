#include "layout_by_timing/common_skews.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

constexpr double kMoves_rev = 0.001;  // a track, at most, by each of the two steps

using Order = std::span<const std::size_t>;

// For each value the one that it has in common with others not farther away than the tolerance:
// the median of a group, then those of what is left below and above. Else the value itself.
std::vector<double> common(const std::vector<double>& values, double tolerance) {
  std::vector<std::size_t> ascending(values.size());
  std::iota(ascending.begin(), ascending.end(), 0);
  const auto value_of = [&](std::size_t i) { return values[i]; };
  std::ranges::sort(ascending, {}, value_of);
  std::vector<double> found = values;
  std::vector<Order> left;
  // What lies far apart has nothing in common, and must not share a median.
  for (Order rest = ascending; !rest.empty();) {
    const auto far = std::ranges::adjacent_find(
        rest, [&](std::size_t a, std::size_t b) { return values[b] - values[a] > tolerance; });
    const std::size_t size = far == rest.end() ? rest.size() : far - rest.begin() + 1;
    left.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  while (!left.empty()) {
    const Order group = left.back();
    left.pop_back();
    if (group.size() < 2) continue;
    const double median = values[group[group.size() / 2]];
    const auto first = std::ranges::lower_bound(group, median - tolerance, {}, value_of);
    const auto behind = std::ranges::upper_bound(group, median + tolerance, {}, value_of);
    for (const std::size_t i : std::span(first, behind)) found[i] = median;
    left.emplace_back(group.begin(), first);
    left.emplace_back(behind, group.end());
  }
  return found;
}

// From track to track, of runs with as many tracks. The middle track stays where it is.
void within_runs(std::span<Run* const> runs, std::uint32_t tracks) {
  std::vector<double> skews_rev;
  for (const Run* run : runs) skews_rev.push_back(statistics::wrap_rev(run->skew_rev));
  const double farthest = (tracks - 1) / 2.0;
  const std::vector<double> common_rev = common(skews_rev, kMoves_rev / farthest);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run& run = *runs[i];
    run.start_rev = statistics::turn_rev(run.start_rev - farthest * (common_rev[i] - skews_rev[i]));
    run.skew_rev = statistics::turn_rev(common_rev[i]);
  }
}

// From each run to the next, as long as what adds up does not lead away from what was measured.
void between_runs(std::vector<Run>& runs) {
  std::vector<double> skews_rev;
  for (std::size_t i = 1; i < runs.size(); ++i)
    skews_rev.push_back(
        statistics::wrap_rev(runs[i].start_rev - runs[i - 1].track_start_rev(runs[i - 1].tracks)));
  const std::vector<double> common_rev = common(skews_rev, kMoves_rev);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const double start_rev = runs[i - 1].track_start_rev(runs[i - 1].tracks) + common_rev[i - 1];
    if (std::abs(statistics::wrap_rev(start_rev - runs[i].start_rev)) <= kMoves_rev)
      runs[i].start_rev = statistics::turn_rev(start_rev);
  }
}

}  // namespace

void take_common_skews(std::vector<Run>& runs) {
  if (runs.size() < kFewestForCommonSkews) return;
  std::map<std::uint32_t, std::vector<Run*>> by_tracks;
  for (Run& run : runs)
    if (run.tracks > 1) by_tracks[run.tracks].push_back(&run);
  for (const auto& [tracks, some] : by_tracks) within_runs(some, tracks);
  between_runs(runs);
}

}  // namespace platter::layout_by_timing
