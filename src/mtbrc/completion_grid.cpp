#include "mtbrc/completion_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace platter::mtbrc {
namespace {

constexpr Nanoseconds kFinest = 20'000, kCoarsest = 2'000'000;
// Longer ones would tell of the clocks' ratio, too.
constexpr Nanoseconds kLongest = 20'000'000;
constexpr std::size_t kMostUsed = 400, kFewest = 40;
// Of the cosine's mean: jitter of a tenth of the grid leaves 0.8.
constexpr double kKept = 0.8;

bool is_round_trip(const Sample& sample) { return sample.experiment == Experiment::round_trip; }

// From one completion to the next, of two that `are` such; of many evenly so many as are used.
template <class Are>
std::vector<double> gaps(const Samples& samples, const Are& are) {
  std::vector<double> all;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample &before = samples[i - 1], &sample = samples[i];
    if (sample.session != before.session || !are(before, sample)) continue;
    const Nanoseconds gap = sample.completed_ns - before.completed_ns;
    if (gap > 0 && gap < kLongest) all.push_back(static_cast<double>(gap));
  }
  if (all.size() <= kMostUsed) return all;
  std::vector<double> used;
  for (std::size_t i = 0; i < kMostUsed; ++i) used.push_back(all[i * all.size() / kMostUsed]);
  return used;
}

// 1 where all are multiples of the grid, 0 where they have nothing to do with it.
double kept(const std::vector<double>& gaps, double per_grid) {
  double sum = 0;
  for (const double gap : gaps) sum += std::cos(2 * std::numbers::pi * gap * per_grid);
  return sum / static_cast<double>(gaps.size());
}

}  // namespace

std::optional<Nanoseconds> completion_grid(const Samples& samples) {
  const std::vector<double> idle = gaps(samples, [](const Sample& before, const Sample& sample) {
    return is_round_trip(before) && is_round_trip(sample);
  });
  // Reads of one sector come whole revolutions apart.
  const std::vector<double> media = gaps(samples, [](const Sample& before, const Sample& sample) {
    return !is_round_trip(before) && !is_round_trip(sample) && before.lbn != sample.lbn;
  });
  if (idle.size() < kFewest / 2 || media.size() < kFewest) return std::nullopt;
  // A step of the frequency that turns the longest gap by an eighth.
  constexpr double kStep = 1.0 / (8.0 * kLongest);
  std::optional<double> best;
  double most = kKept;
  for (double per_grid = 1.0 / kCoarsest; per_grid <= 1.0 / kFinest; per_grid += kStep) {
    const double score = kept(media, per_grid);
    if (score < most || kept(idle, per_grid) < kKept) continue;
    // The coarsest is the grid, its neighbours are as good but for the step, the rest its parts.
    if (best && per_grid > *best + 4 * kStep) break;
    most = score;
    best = per_grid;
  }
  if (!best) return std::nullopt;
  return static_cast<Nanoseconds>(std::llround(1.0 / *best));
}

double least_error_ms(Nanoseconds grid_ns, std::uint64_t samples) {
  constexpr double kTwelve = 12;
  return to_ms(grid_ns) /
         std::sqrt(kTwelve * static_cast<double>(std::max<std::uint64_t>(1, samples)));
}

}  // namespace platter::mtbrc
