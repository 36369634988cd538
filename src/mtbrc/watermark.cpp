#include "mtbrc/watermark.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "model/revolution.h"
#include "mtbrc/access.h"
#include "mtbrc/trials.h"
#include "statistics/circular.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::mtbrc {
namespace {

// Two places on a track, about half a turn apart, the second with `blocks` LBNs in a row.
struct Pair {
  std::uint64_t before = 0, lbn = 0;
};

std::optional<Pair> pair_on(const engine::LayoutMap& map, const engine::Track& track,
                            std::uint32_t blocks) {
  const std::uint64_t end = track.first_slot + track.sectors;
  Pair pair{map.lbn_at_or_after_slot(track.first_slot),
            map.lbn_at_or_after_slot(track.first_slot + track.sectors / 2)};
  if (pair.lbn + blocks > map.blocks() || pair.before >= pair.lbn) return std::nullopt;
  const std::uint64_t slot = map.slot_of_lbn(pair.lbn);
  for (std::uint32_t i = 0; i < blocks; ++i)
    if (map.is_remapped(pair.lbn + i) || map.slot_of_lbn(pair.lbn + i) != slot + i)
      return std::nullopt;
  if (map.is_remapped(pair.before) || map.slot_of_lbn(pair.before) >= end || slot + blocks > end)
    return std::nullopt;
  return pair;
}

// How much later a read of n blocks ends than its first sector alone would, in sectors' times, less
// what sending the further blocks takes.
struct Delay {
  double blocks, sectors, sector_ms;
};

std::vector<Delay> delays_of(const Samples& samples, const engine::LayoutMap& map,
                             const model::Rotation& rotation, double transfer_ms) {
  const double period_ms = model::revolution_ns(rotation) * 1e-6;
  std::vector<Delay> delays;
  for (const Sample& s : samples) {
    if (s.experiment != Experiment::transfer || s.group == 0) continue;
    const std::uint64_t slot = map.slot_of_lbn(s.lbn), before = map.slot_of_lbn(s.after_lbn);
    const engine::Track track = map.track_of_slot(slot);
    if (map.track_of_slot(before).first_slot != track.first_slot) continue;
    const double between = (static_cast<double>(slot) - static_cast<double>(before)) /
                           track.sectors;
    const double turned = to_ms(s.completed_ns - s.after_completed_ns) / period_ms - between;
    // Less than most of a turn late; a little early is noise.
    const double late_ms = (statistics::turn_rev(turned + 0.1) - 0.1) * period_ms;
    const double sent_ms = (s.blocks - 1) * transfer_ms;
    const double sector_ms = period_ms / track.sectors;
    delays.push_back({static_cast<double>(s.blocks), (late_ms - sent_ms) / sector_ms, sector_ms});
  }
  return delays;
}

struct Read {
  double blocks, sector_ms, late_ms;  // later than its first sector alone would end
};

// The same where it is sent in portions, of which the first waits `held_ms` more, like any read of
// one block does. What all reads have in common is left in.
double late_ms(const Read& read, double portion, double transfer_ms, double held_ms) {
  double latest = std::min(portion, read.blocks) * read.sector_ms + held_ms +
                  read.blocks * transfer_ms;
  for (double sent = 0; sent < read.blocks; sent += portion) {
    const double there = std::min(sent + portion, read.blocks) * read.sector_ms;
    latest = std::max(latest, there + (read.blocks - sent) * transfer_ms);
  }
  return latest - read.sector_ms - transfer_ms;
}

// And where sending begins with a share of it.
double late_ms_of_share(const Read& read, double share, double transfer_ms, double held_ms) {
  const double filled = std::clamp(std::floor(read.blocks * share), 1.0, read.blocks);
  return std::max(late_ms(read, 1, transfer_ms, held_ms),
                  (filled - 1) * read.sector_ms + held_ms + (read.blocks - 1) * transfer_ms);
}

// Log-likelihood, less a constant, of residuals with tails (Student's t with 3 degrees of freedom)
// at the scale that makes it greatest, by expectation and maximization; Lange, Little and Taylor,
// JASA 84 (1989), 881-896.
double log_likelihood(const std::vector<double>& residuals_ms) {
  constexpr double kDegrees = 3;
  constexpr double kFinest = 1e-4;  // ms; clocks tell no less
  const auto n = static_cast<double>(residuals_ms.size());
  double square = std::max(statistics::mad_sigma(residuals_ms), kFinest);
  square *= square;
  constexpr int kRounds = 30;
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    for (const double r : residuals_ms) sum += (kDegrees + 1) / (kDegrees + r * r / square) * r * r;
    square = std::max(sum / n, kFinest * kFinest);
  }
  double result = -n / 2 * std::log(square);
  for (const double r : residuals_ms)
    result -= (kDegrees + 1) / 2 * std::log1p(r * r / square / kDegrees);
  return result;
}

// How likely reads are that end as predicted, but for an error of the blocks' transfer, and for
// what a read of one block is held in front of sending (to reselect the bus), which hides behind
// the media where more is read. nullopt: too few.
template <class Predicted>
std::optional<double> likelihood_of(const std::vector<Read>& reads, const Predicted& predicted_ms) {
  // Where all of it hides, it is what the reads end early.
  std::vector<double> early;
  for (const Read& read : reads) early.push_back(predicted_ms(read, 0) - read.late_ms);
  constexpr double kNearlyAll = 0.9;
  const double most_ms = std::max(0.0, statistics::quantile_of(early, kNearlyAll));
  std::optional<double> best;
  constexpr int kSteps = 12;
  for (int step = 0; step <= kSteps && (step == 0 || most_ms > 0); ++step) {
    std::vector<double> further, left;
    for (const Read& read : reads) {
      further.push_back(read.blocks - 1);
      left.push_back(read.late_ms - predicted_ms(read, most_ms * step / kSteps));
    }
    if (const auto line = statistics::huber_line(further, left))
      best = std::max(best, std::optional(log_likelihood(line->residuals)));
  }
  return best;
}

std::vector<Read> reads_of(const std::vector<Delay>& delays, double transfer_ms) {
  std::vector<Read> reads;
  for (const Delay& delay : delays)
    reads.push_back({delay.blocks, delay.sector_ms,
                     delay.sectors * delay.sector_ms + (delay.blocks - 1) * transfer_ms});
  return reads;
}

// Drives count whole blocks, of which a line through reads of many sizes knows nothing: the shares
// near the line's, by how likely they make the reads. nullopt: too few.
std::optional<statistics::Estimate> by_whole_blocks(const std::vector<Read>& reads,
                                                    const statistics::Estimate& line,
                                                    double transfer_ms) {
  constexpr double kStep = 5e-4, kLeast = 0.02, kSigmas = 4;
  const double reach = std::max(kLeast, kSigmas * line.error);
  std::vector<double> shares, likelihoods;
  for (double share = std::max(line.value - reach, kStep);
       share < std::min(line.value + reach, 1.0) + kStep; share += kStep)
    if (const auto likelihood = likelihood_of(reads, [&](const Read& read, double held_ms) {
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

void measure_watermark(Context& context, const WatermarkOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  Accesses accesses(context);
  std::uint32_t failures = 0;
  for (std::uint32_t i = 0; i < options.reads && failures < 100 && !meter.exhausted(); ++i) {
    const auto track = random_track(context);
    if (!track) return;
    // Drives count whole blocks: only sizes of all kinds show the share itself.
    const std::uint32_t most =
        std::min({options.most_blocks, track->sectors / 3, context.drive.most_blocks()});
    if (most <= options.least_blocks) {
      ++failures;
      continue;
    }
    const auto blocks = std::uniform_int_distribution<std::uint32_t>(options.least_blocks,
                                                                     most)(context.random);
    const auto pair = pair_on(*context.map, *track, blocks);
    if (!pair || !accesses.read(Experiment::transfer, pair->before) ||
        !accesses.read(Experiment::transfer, pair->lbn, blocks, blocks))
      ++failures;
    context.report("watermark", meter.share());
  }
}

model::Parameter estimate_watermark(const Samples& samples, const engine::LayoutMap& map,
                                    const model::Rotation& rotation,
                                    const model::Parameter& block_transfer) {
  model::Parameter result;
  result.unit = "share of the request";
  result.method = "reads of many sizes with the first sector's angle known";
  const double transfer_ms = block_transfer.or_else(0);
  const auto delays = delays_of(samples, map, rotation, transfer_ms);
  std::vector<double> blocks, sectors;
  double hidden = 0;  // the share below which the media's own pace hides the watermark
  for (const Delay& delay : delays) {
    blocks.push_back(delay.blocks);
    sectors.push_back(delay.sectors);
  }
  for (const Sample& s : samples)
    if (s.experiment == Experiment::transfer && s.group != 0) {
      const double sector_ms = model::revolution_ns(rotation) * 1e-6 /
                               map.track_of_slot(map.slot_of_lbn(s.lbn)).sectors;
      hidden = std::max(hidden, 1 - transfer_ms / sector_ms);
    }
  const auto line = statistics::huber_line(blocks, sectors);
  if (!line) {
    result.reason = "too few reads of several blocks could be timed";
    return result;
  }
  const double share = line->coefficients[1];
  const double error = std::sqrt(line->covariance.at(1, 1));
  result.samples = delays.size();
  result.error = error;
  const bool shows = share > hidden + 3 * error + 0.02;
  result.value = shows ? std::min(share, 1.0) : 0.0;
  if (shows)
    if (const auto whole = by_whole_blocks(reads_of(delays, transfer_ms),
                                           {share, error, delays.size()}, transfer_ms)) {
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

model::Parameter estimate_portions(const Samples& samples, const engine::LayoutMap& map,
                                   const model::Rotation& rotation,
                                   const model::Parameter& block_transfer) {
  model::Parameter result;
  result.unit = "blocks";
  result.method = "reads of many sizes with the first sector's angle known";
  const double transfer_ms = block_transfer.or_else(0);
  const std::vector<Read> reads = reads_of(delays_of(samples, map, rotation, transfer_ms),
                                           transfer_ms);
  double most = 0;
  for (const Read& read : reads) most = std::max(most, read.blocks);
  constexpr std::size_t kFewest = 24;
  if (reads.size() < kFewest || transfer_ms <= 0) {
    result.reason = "too few reads of several blocks could be timed";
    return result;
  }
  // Any share of the request at which sending begins is the simpler explanation.
  std::optional<double> by_share;
  constexpr int kShares = 50;
  for (int step = 0; step <= kShares; ++step)
    by_share = std::max(by_share, likelihood_of(reads, [&](const Read& read, double held_ms) {
                          return late_ms_of_share(read, step / double{kShares}, transfer_ms,
                                                  held_ms);
                        }));
  // Of larger ones too few reads have more than one.
  constexpr double kLargest = 0.75;
  struct Tried {
    double blocks, likelihood;
  };
  std::vector<Tried> tried;
  for (double blocks = 2; blocks <= kLargest * most; ++blocks)
    if (const auto likelihood = likelihood_of(reads, [&](const Read& read, double held_ms) {
          return late_ms(read, blocks, transfer_ms, held_ms);
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

}  // namespace platter::mtbrc
