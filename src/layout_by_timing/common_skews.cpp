#include "layout_by_timing/common_skews.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

constexpr double kMoves_rev = 0.001;  // the first and the last track, at most

double skew_of(const Run* run) { return statistics::wrap_rev(run->skew_rev); }

void take(Run& run, double skew_rev) {
  const double middle = (run.tracks - 1) / 2.0;
  const double change = statistics::wrap_rev(skew_rev - run.skew_rev);
  run.start_rev = statistics::turn_rev(run.start_rev - middle * change);
  run.skew_rev = statistics::turn_rev(skew_rev);
}

// Of runs with as many tracks, by ascending skew: the median with what is near enough to take it,
// then what is left below and above.
void take_medians(std::span<Run* const> runs, double tolerance_rev) {
  std::vector<std::span<Run* const>> left{runs};
  while (!left.empty()) {
    const std::span<Run* const> some = left.back();
    left.pop_back();
    if (some.size() < 2) continue;
    const double median = skew_of(some[some.size() / 2]);
    const auto near = [&](double skew) {
      return std::ranges::lower_bound(some, skew, {}, skew_of);
    };
    const auto first = near(median - tolerance_rev), behind = near(median + tolerance_rev);
    left.emplace_back(some.begin(), first);
    left.emplace_back(behind, some.end());
    for (Run* run : std::span(first, behind)) take(*run, median);
  }
}

}  // namespace

void take_common_skews(std::vector<Run>& runs) {
  if (runs.size() < kFewestForCommonSkews) return;
  std::map<std::uint32_t, std::vector<Run*>> by_tracks;
  for (Run& run : runs)
    if (run.tracks > 1) by_tracks[run.tracks].push_back(&run);
  for (auto& [tracks, some] : by_tracks) {
    std::ranges::sort(some, {}, skew_of);
    // What lies far apart has nothing in common, and must not share a median.
    const double tolerance_rev = 2 * kMoves_rev / (tracks - 1);
    for (std::span<Run* const> rest = some; !rest.empty();) {
      const auto far = std::ranges::adjacent_find(rest, [&](const Run* a, const Run* b) {
        return skew_of(b) - skew_of(a) > tolerance_rev;
      });
      const auto size = far == rest.end() ? rest.size()
                                          : static_cast<std::size_t>(far - rest.begin()) + 1;
      take_medians(rest.first(size), tolerance_rev);
      rest = rest.subspan(size);
    }
  }
}

}  // namespace platter::layout_by_timing
