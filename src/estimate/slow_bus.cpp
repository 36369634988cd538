#include "estimate/slow_bus.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimate/reads_of_several.h"
#include "model/drive_model.h"
#include "model/interruption.h"
#include "model/parameters.h"
#include "statistics/robust.h"

namespace platter::estimate {
namespace {

constexpr std::size_t kFewestReads = 24;

// What reads miss a prediction by, without what all of them have in common and whole turns.
std::vector<double> misses_ms(const std::vector<SeveralBlocks>& reads, double share,
                              double transfer_ms, double period_ms) {
  std::vector<double> misses;
  for (const SeveralBlocks& read : reads)
    misses.push_back(read.late_ms - late_ms_of_share(read, share, transfer_ms, 0));
  // Twice: the second time about the middle of most, so that none is cut at half a turn.
  for (int round = 0; round < 2; ++round) {
    const double common = statistics::median(misses);
    for (double& miss : misses) miss = std::remainder(miss - common, period_ms);
  }
  return misses;
}

struct Tried {
  double share, transfer_ms, log_likelihood;
};

constexpr double kSlowest = 20;  // sectors' times that a block takes on the bus; no bus is slower

// Of one share, the bus times around the likeliest.
std::vector<Tried> around_best(const std::vector<SeveralBlocks>& reads, double share,
                               double slowest_ms, double sector_ms, double period_ms) {
  const auto tried = [&](double transfer_ms) {
    return Tried{share, transfer_ms,
                 log_likelihood_ms(misses_ms(reads, share, transfer_ms, period_ms))};
  };
  constexpr double kStep = 0.02;  // of a sector's time; Chosen: over 48 blocks it makes one
  constexpr int kFine = 60;
  const double step_ms = kStep * sector_ms;
  Tried best = tried(0);
  for (double transfer_ms = step_ms; transfer_ms < slowest_ms; transfer_ms += step_ms) {
    stop_if_asked();
    const Tried one = tried(transfer_ms);
    if (one.log_likelihood > best.log_likelihood) best = one;
  }
  std::vector<Tried> fine;
  for (int i = -kFine; i <= kFine; ++i)
    fine.push_back(tried(std::clamp(best.transfer_ms + step_ms * 2 * i / kFine, 0.0, slowest_ms)));
  return fine;
}

}  // namespace

model::Parameter estimate_slow_bus(const Samples& samples, const engine::LayoutMap& map,
                                   const model::Rotation& rotation) {
  const double period_ms = model::revolution_ns(rotation) * 1e-6;
  const std::vector<SeveralBlocks> reads = reads_of_several(samples, map, rotation);
  if (reads.size() < kFewestReads)
    return model::absent(
        "no cache hits were timed, and too few reads of several blocks from the "
        "media",
        "ms");
  const auto [densest, sparsest] = std::ranges::minmax(reads, {}, &SeveralBlocks::sector_ms);
  constexpr int kShares = 10;
  std::vector<Tried> all;
  for (int i = 0; i <= kShares; ++i) {
    const auto of_share = around_best(reads, i / double{kShares}, kSlowest * sparsest.sector_ms,
                                      densest.sector_ms, period_ms);
    all.insert(all.end(), of_share.begin(), of_share.end());
  }
  const Tried likeliest = *std::ranges::max_element(all, {}, &Tried::log_likelihood);
  const double best = likeliest.log_likelihood;
  // Where it explains nothing, neither it nor that the bus keeps up is what the reads say.
  constexpr double kExplained_rev = 1.0 / 16, kNearEnd = 0.99;
  const double left_ms =
      statistics::mad_sigma(misses_ms(reads, likeliest.share, likeliest.transfer_ms, period_ms));
  if (left_ms > kExplained_rev * period_ms ||
      likeliest.transfer_ms > kNearEnd * kSlowest * sparsest.sector_ms)
    return model::absent(
        "no cache hits were timed, and no bus time of a block explains when reads of several "
        "blocks "
        "end",
        "ms");
  // Before anything was measured few buses are that slow, at any of the paces tried.
  constexpr double kPrior = 1e-4;
  const double keeps_up = log_likelihood_ms(misses_ms(reads, 0, 0, period_ms));
  if (best - keeps_up < -std::log(kPrior))
    return model::absent("no cache hits were timed, and the bus keeps up with the media", "ms");
  // Sending at once is the simpler explanation: as likely as all shares together.
  double weights = 0, sum = 0, squares = 0;
  for (const auto& [share, transfer_ms, likelihood] : all) {
    const double weight = std::exp(likelihood - best) * (share == 0 ? kShares : 1);
    weights += weight;
    sum += weight * transfer_ms;
    squares += weight * transfer_ms * transfer_ms;
  }
  const double mean = sum / weights;
  model::Parameter result;
  result.unit = "ms";
  result.value = mean;
  result.error = std::sqrt(std::max(squares / weights - mean * mean, 0.0));
  result.method =
      "reads of many sizes with the first sector's angle known, which the bus makes "
      "late";
  result.samples = reads.size();
  return result;
}

}  // namespace platter::estimate
