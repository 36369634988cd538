#include "mtbrc/watermark.h"

#include <algorithm>
#include <optional>

#include "mtbrc/access.h"
#include "mtbrc/trials.h"

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
    const bool from_media =
        pair && (!context.reads_may_be_cached() ||
                 (is_fresh(context, pair->before) && is_fresh(context, pair->lbn, blocks)));
    if (!from_media || !accesses.read(estimate::Experiment::transfer, pair->before) ||
        !accesses.read(estimate::Experiment::transfer, pair->lbn, blocks, blocks))
      ++failures;
    context.report("watermark", meter.share());
  }
}

}  // namespace platter::mtbrc
