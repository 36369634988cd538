#include "layout_by_timing/move_times.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

// What is known of the time: how likely it is to lie in each of so many parts of a revolution.
class Belief {
 public:
  Belief() { likely_.fill(1.0 / kParts); }

  // A read that had so much time ahead of it caught its sector, or not. The arm scatters; and now
  // and then something holds it up, or the host.
  void take(double lead_rev, bool caught) {
    constexpr double kScatter_rev = 0.008, kWild = 0.03;
    double all = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      const double in_time = 0.5 * std::erfc(-(lead_rev - at(i)) / kScatter_rev / std::sqrt(2.0));
      const double chance = kWild / 2 + (1 - kWild) * in_time;
      likely_[i] *= caught ? chance : 1 - chance;
      all += likely_[i];
    }
    for (double& part : likely_) part /= all;
  }
  double quantile(double share) const {
    double sum = 0;
    for (std::size_t i = 0; i < kParts; ++i)
      if ((sum += likely_[i]) >= share) return at(i);
    return at(kParts - 1);
  }
  MoveTime estimate() const {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      mean += likely_[i] * at(i);
      square += likely_[i] * at(i) * at(i);
    }
    return {mean, std::sqrt(std::max(0.0, square - mean * mean))};
  }

 private:
  static constexpr std::size_t kParts = 190;
  static double at(std::size_t i) {
    return MoveTimes::kLongest_rev * (static_cast<double>(i) + 0.5) / kParts;
  }
  std::array<double, kParts> likely_{};
};

}  // namespace

std::optional<MoveTimes::Trial> MoveTimes::try_lead(const Spot& to, double lead_rev) {
  const Frame& frame = prober_.frame();
  const double issued_rev = prober_.rev_now();
  const double begin_rev =
      statistics::turn_rev(issued_rev + lead_rev - to.run->track_start_rev(to.track));
  const auto slot = static_cast<std::uint32_t>(begin_rev * to.run->around()) + 1;
  const auto seen = prober_.look_at(*to.run, to.track, slot >= to.run->slots ? 0 : slot);
  if (!seen) return std::nullopt;
  const double sector_rev = 1.0 / to.run->around();
  const double ahead_rev =
      statistics::turn_rev(to.run->end_of_block_rev(seen->block) - sector_rev - issued_rev);
  const double took_rev = static_cast<double>(prober_.last_took_ns()) / frame.period_ns();
  return Trial{ahead_rev, took_rev < ahead_rev + sector_rev + 0.5};
}

std::optional<MoveTime> MoveTimes::between(const Spot& a, const Spot& b) {
  constexpr int kMost = 16;
  constexpr double kEnough_rev = 0.006;
  constexpr double kSafer = 0.6;  // a sector that is missed costs a revolution
  Belief belief;
  if (!prober_.look_at(*a.run, a.track, a.run->slots / 2)) return std::nullopt;
  for (int i = 0; i < kMost; ++i) {
    const auto trial = try_lead(i % 2 == 0 ? b : a, belief.quantile(kSafer));
    if (!trial) return std::nullopt;
    belief.take(trial->lead_rev, trial->caught);
    if (belief.estimate().error_rev < kEnough_rev) break;
  }
  return belief.estimate();
}

}  // namespace platter::layout_by_timing
