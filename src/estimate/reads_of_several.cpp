#include "estimate/reads_of_several.h"

#include <algorithm>
#include <cmath>

#include "model/drive_model.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::estimate {

std::vector<SeveralBlocks> reads_of_several(const Samples& samples, const engine::LayoutMap& map,
                                            const model::Rotation& rotation) {
  const double period_ms = model::revolution_ns(rotation) * 1e-6;
  std::vector<SeveralBlocks> reads;
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
    reads.push_back({static_cast<double>(s.blocks), period_ms / track.sectors, late_ms});
  }
  return reads;
}

double late_ms_of_portions(const SeveralBlocks& read, double portion, double transfer_ms,
                           double held_ms) {
  double latest = std::min(portion, read.blocks) * read.sector_ms + held_ms +
                  read.blocks * transfer_ms;
  const double portions = std::ceil(read.blocks / portion);
  for (int i = 0; i < portions; ++i) {
    const double sent = i * portion;
    const double there = std::min(sent + portion, read.blocks) * read.sector_ms;
    latest = std::max(latest, there + (read.blocks - sent) * transfer_ms);
  }
  return latest - read.sector_ms - transfer_ms;
}

double late_ms_of_share(const SeveralBlocks& read, double share, double transfer_ms,
                        double held_ms) {
  const double filled = std::clamp(std::floor(read.blocks * share), 1.0, read.blocks);
  // Block by block the first or the last is the one that is waited for.
  const double by_block = std::max(held_ms + (read.blocks - 1) * transfer_ms,
                                   (read.blocks - 1) * read.sector_ms);
  return std::max(by_block,
                  (filled - 1) * read.sector_ms + held_ms + (read.blocks - 1) * transfer_ms);
}

double log_likelihood_ms(const std::vector<double>& residuals_ms) {
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

}  // namespace platter::estimate
