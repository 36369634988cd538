#include "estimate/watermark.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "estimate/bus_time.h"
#include "estimate/reads_of_several.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::estimate {
namespace {

// How likely reads are that end as predicted, but for an error of the blocks' transfer, and for
// what a read of one block is held in front of sending (to reselect the bus), which hides behind
// the media where more is read. nullopt: too few.
template <class Predicted>
std::optional<double> likelihood_of(const std::vector<SeveralBlocks>& reads,
                                    const Predicted& predicted_ms) {
  // Where all of it hides, it is what the reads end early.
  std::vector<double> early;
  for (const SeveralBlocks& read : reads) early.push_back(predicted_ms(read, 0) - read.late_ms);
  constexpr double kNearlyAll = 0.9;
  const double most_ms = std::max(0.0, statistics::quantile_of(early, kNearlyAll));
  std::optional<double> best;
  constexpr int kSteps = 12;
  for (int step = 0; step <= kSteps && (step == 0 || most_ms > 0); ++step) {
    std::vector<double> further, left;
    for (const SeveralBlocks& read : reads) {
      further.push_back(read.blocks - 1);
      left.push_back(read.late_ms - predicted_ms(read, most_ms * step / kSteps));
    }
    if (const auto line = statistics::huber_line(further, left))
      best = std::max(best, std::optional(log_likelihood_ms(line->residuals)));
  }
  return best;
}

// Drives count whole blocks, of which a line through reads of many sizes knows nothing: the shares
// near the line's, by how likely they make the reads. nullopt: too few.
std::optional<statistics::Estimate> by_whole_blocks(const std::vector<SeveralBlocks>& reads,
                                                    const statistics::Estimate& line,
                                                    double transfer_ms) {
  constexpr double kStep = 5e-4, kLeast = 0.02, kSigmas = 4;
  const double reach = std::max(kLeast, kSigmas * line.error);
  std::vector<double> shares, likelihoods;
  for (double share = std::max(line.value - reach, kStep);
       share < std::min(line.value + reach, 1.0) + kStep; share += kStep)
    if (const auto likelihood = likelihood_of(
            reads, [&](const SeveralBlocks& read, double held_ms) {
              return late_ms_of_share(read, share, transfer_ms, held_ms);
            })) {
      shares.push_back(share);
      likelihoods.push_back(*likelihood);
    }
  if (shares.empty()) return std::nullopt;
  const double best = *std::ranges::max_element(likelihoods);
  double weights = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double weight = std::exp(likelihoods[i] - best), off = shares[i] - line.value;
    weights += weight;
    sum += weight * off;
    squares += weight * off * off;
  }
  const double mean = sum / weights;
  return statistics::Estimate{
      line.value + mean,
      std::hypot(std::sqrt(std::max(squares / weights - mean * mean, 0.0)), kStep), reads.size()};
}

}  // namespace

model::Parameter estimate_watermark(const Evidence& evidence,
                                    const model::Parameter& block_transfer) {
  model::Parameter result;
  result.unit = "share of the request";
  result.method = "reads of many sizes with the first sector's angle known";
  const double transfer_ms = acting_transfer_ms(block_transfer);
  const std::vector<SeveralBlocks> reads = reads_of_several(evidence.samples(), evidence.map(),
                                                            evidence.rotation());
  // In sectors' times, less what sending the further blocks takes.
  std::vector<double> blocks, sectors;
  double hidden = 0;  // the share below which the media's own pace hides the watermark
  for (const SeveralBlocks& read : reads) {
    blocks.push_back(read.blocks);
    sectors.push_back((read.late_ms - (read.blocks - 1) * transfer_ms) / read.sector_ms);
    hidden = std::max(hidden, 1 - transfer_ms / read.sector_ms);
  }
  const auto line = statistics::huber_line(blocks, sectors);
  if (!line) {
    result.reason = "too few reads of several blocks could be timed";
    return result;
  }
  const double share = line->coefficients[1];
  const double error = std::sqrt(line->covariance.at(1, 1));
  result.samples = reads.size();
  result.error = error;
  const bool shows = share > hidden + 3 * error + 0.02;
  result.value = shows ? std::min(share, 1.0) : 0.0;
  if (shows)
    if (const auto whole = by_whole_blocks(reads, {share, error, reads.size()}, transfer_ms)) {
      result.value = std::min(whole->value, 1.0);
      result.error = whole->error;
    }
  if (!shows) {
    result.method += "; sending begins too early to show";
    // Any share up to the hidden one looks the same: the deviation from 0 of what is spread evenly.
    result.error = std::hypot(error, std::max(hidden, 0.0) / std::sqrt(3.0));
  }
  return result;
}

model::Parameter estimate_portions(const Evidence& evidence,
                                   const model::Parameter& block_transfer) {
  model::Parameter result;
  result.unit = "blocks";
  result.method = "reads of many sizes with the first sector's angle known";
  const double transfer_ms = acting_transfer_ms(block_transfer);
  const std::vector<SeveralBlocks> reads = reads_of_several(evidence.samples(), evidence.map(),
                                                            evidence.rotation());
  double most = 0;
  for (const SeveralBlocks& read : reads) most = std::max(most, read.blocks);
  constexpr std::size_t kFewest = 24;
  if (reads.size() < kFewest || transfer_ms <= 0) {
    result.reason = "too few reads of several blocks could be timed";
    return result;
  }
  // Any share of the request at which sending begins is the simpler explanation.
  std::optional<double> by_share;
  constexpr int kShares = 50;
  for (int step = 0; step <= kShares; ++step)
    by_share = std::max(
        by_share, likelihood_of(reads, [&](const SeveralBlocks& read, double held_ms) {
          return late_ms_of_share(read, step / double{kShares}, transfer_ms, held_ms);
        }));
  // Of larger ones too few reads have more than one.
  constexpr double kLargest = 0.75;
  struct Tried {
    double blocks, likelihood;
  };
  std::vector<Tried> tried;
  for (double blocks = 2; blocks <= kLargest * most; ++blocks)
    if (const auto likelihood = likelihood_of(
            reads, [&](const SeveralBlocks& read, double held_ms) {
              return late_ms_of_portions(read, blocks, transfer_ms, held_ms);
            }))
      tried.push_back({blocks, *likelihood});
  result.samples = reads.size();
  result.value = 1;
  const auto best = std::ranges::max_element(tried, {}, &Tried::likelihood);
  if (!by_share || best == tried.end()) return result;
  // Before anything was measured few drives have portions, of any of the sizes tried.
  constexpr double kPrior = 1e-4;
  const double gain = best->likelihood - *by_share - std::log(static_cast<double>(tried.size()));
  if (gain <= -std::log(kPrior)) return result;
  result.value = best->blocks;
  double weights = 0, squares = 0;
  for (const Tried& one : tried) {
    const double weight = std::exp(one.likelihood - best->likelihood);
    weights += weight;
    squares += weight * (one.blocks - best->blocks) * (one.blocks - best->blocks);
  }
  // No other size is nearly as likely: a whole number that is sure.
  constexpr double kSure = 1e-3;
  if (const double error = std::sqrt(squares / weights); error > kSure) result.error = error;
  return result;
}

}  // namespace platter::estimate
