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
  double blocks, sectors;
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
    const double between =
        (static_cast<double>(slot) - static_cast<double>(before)) / track.sectors;
    const double turned = to_ms(s.completed_ns - s.after_completed_ns) / period_ms - between;
    // Less than most of a turn late; a little early is noise.
    const double late_ms = (statistics::turn_rev(turned + 0.1) - 0.1) * period_ms;
    const double sent_ms = (s.blocks - 1) * transfer_ms;
    delays.push_back({static_cast<double>(s.blocks), (late_ms - sent_ms) / (period_ms / track.sectors)});
  }
  return delays;
}

}  // namespace

void measure_watermark(Context& context, const WatermarkOptions& options) {
  const bool limited = context.budget.commands > 0 || context.budget.drive_time_ns > 0;
  Meter meter(context, limited ? context.budget : options.budget);
  Accesses accesses(context);
  std::uint32_t failures = 0;
  for (std::uint32_t i = 0; i < options.reads && failures < 100 && !meter.exhausted(); ++i) {
    const auto track = random_track(*context.map, context.random);
    if (!track) return;
    // Drives count whole blocks: only sizes of all kinds show the share itself.
    const std::uint32_t most =
        std::min({options.most_blocks, track->sectors / 3, context.drive.most_blocks()});
    if (most <= options.least_blocks) {
      ++failures;
      continue;
    }
    const auto blocks = std::uniform_int_distribution<std::uint32_t>(options.least_blocks, most)(
        context.random);
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
      const double sector_ms =
          model::revolution_ns(rotation) * 1e-6 / map.track_of_slot(map.slot_of_lbn(s.lbn)).sectors;
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
  if (!shows) {
    result.method += "; sending begins too early to show";
    // Any share up to the hidden one looks the same: the deviation from 0 of what is spread evenly.
    result.error = std::hypot(error, std::max(hidden, 0.0) / std::sqrt(3.0));
  }
  return result;
}

}  // namespace platter::mtbrc
