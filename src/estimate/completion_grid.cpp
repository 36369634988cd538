#include "estimate/completion_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace platter::estimate {
namespace {

constexpr Nanoseconds kFinest = 20'000, kCoarsest = 2'000'000;
// Longer ones would tell of the clocks' ratio, too.
constexpr Nanoseconds kLongest = 20'000'000;
constexpr std::size_t kMostUsed = 400, kFewestOnGrid = 40;
// Of the cosine's mean: jitter of a tenth of the grid leaves 0.8.
constexpr double kSeen = 0.6, kKept = 0.8;
// Chosen: so few rule most frequencies out. Their mean strays by 0.1 where all is kept.
constexpr std::size_t kScreening = 16;
constexpr double kPossible = 0.2;
// So many samples on, what is no grid has strayed: of moments that are fixed nothing adds up.
constexpr std::size_t kApart = 5;
constexpr int kParts = 12;  // of a step, for gaps that are so much longer

bool is_round_trip(const Sample& sample) { return sample.experiment == Experiment::round_trip; }

std::vector<double> evenly(const std::vector<double>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<double> used;
  for (std::size_t i = 0; i < most; ++i) used.push_back(all[i * all.size() / most]);
  return used;
}

// From one completion to the one `lag` samples on, where each two neighbours `are` such; of many
// evenly so many as are used.
template <class Are>
std::vector<double> gaps(const Samples& samples, std::size_t lag, const Are& are) {
  std::vector<double> all;
  std::size_t in_a_row = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample &before = samples[i - 1], &sample = samples[i];
    const Nanoseconds gap = sample.completed_ns - before.completed_ns;
    const bool counts = sample.session == before.session && gap > 0 && gap < kLongest;
    in_a_row = counts && are(before, sample) ? in_a_row + 1 : 0;
    if (in_a_row >= lag)
      all.push_back(static_cast<double>(sample.completed_ns - samples[i - lag].completed_ns));
  }
  return evenly(all, kMostUsed);
}

bool both_idle(const Sample& before, const Sample& sample) {
  return is_round_trip(before) && is_round_trip(sample);
}

// Reads of one sector come whole revolutions apart.
bool elsewhere(const Sample& before, const Sample& sample) {
  return !is_round_trip(before) && !is_round_trip(sample) && before.lbn != sample.lbn;
}

// 1 where all are multiples of the grid, 0 where they have nothing to do with it.
double kept(const std::vector<double>& gaps, double per_grid) {
  double sum = 0;
  for (const double gap : gaps) sum += std::cos(2 * std::numbers::pi * gap * per_grid);
  return sum / static_cast<double>(gaps.size());
}

}  // namespace

std::optional<Nanoseconds> completion_grid(const Samples& samples) {
  const std::vector<double> idle = gaps(samples, 1, both_idle), media = gaps(samples, 1, elsewhere);
  const std::vector<double> idle_apart = gaps(samples, kApart, both_idle),
                            media_apart = gaps(samples, kApart, elsewhere);
  if (idle_apart.size() < kFewestOnGrid / 2 || media_apart.size() < kFewestOnGrid / 2)
    return std::nullopt;
  const std::vector<double> few = evenly(media, kScreening);
  // A step of the frequency that turns the longest gap by an eighth.
  constexpr double kStep = 1.0 / (8.0 * kLongest);
  constexpr auto kSteps = static_cast<int>((1.0 / kFinest - 1.0 / kCoarsest) / kStep);
  for (int step = 0; step <= kSteps; ++step) {
    const double coarse = 1.0 / kCoarsest + step * kStep;
    if (kept(few, coarse) < kPossible || kept(media, coarse) < kSeen || kept(idle, coarse) < kSeen)
      continue;
    for (int part = -kParts; part <= kParts; ++part) {
      const double per_grid = coarse + part * kStep / kParts;
      if (kept(media_apart, per_grid) > kKept && kept(idle_apart, per_grid) > kKept)
        return static_cast<Nanoseconds>(std::llround(1.0 / per_grid));
    }
  }
  return std::nullopt;
}

double least_error_ms(Nanoseconds grid_ns, std::uint64_t samples) {
  constexpr double kTwelve = 12;
  return to_ms(grid_ns) /
         std::sqrt(kTwelve * static_cast<double>(std::max<std::uint64_t>(1, samples)));
}

}  // namespace platter::estimate
