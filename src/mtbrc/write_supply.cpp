#include "mtbrc/write_supply.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/revolution.h"
#include "mtbrc/seek.h"

namespace platter::mtbrc {
namespace {

constexpr double kSigmas = 4, kShows_ns = 15e3;

// Larger than the smallest; each twice the one before.
std::array<std::uint32_t, 3> sizes_beyond(std::uint32_t unit) {
  const std::uint32_t least = std::max(4U, 2 * unit);
  return {least, 2 * least, 4 * least};
}
std::uint32_t glance_beyond(std::uint32_t unit) { return sizes_beyond(unit)[1]; }

std::optional<statistics::Estimate> on_one_track(const Samples& samples,
                                                 const engine::LayoutMap& map,
                                                 const model::Rotation& rotation, bool after_write,
                                                 std::optional<std::uint32_t> blocks = {}) {
  const model::Parameter found = estimate_same_track(samples, map, rotation, true, after_write,
                                                     blocks);
  if (!found) return std::nullopt;
  return statistics::Estimate{*found.value * 1e6, *found.error * 1e6, found.samples};
}

bool later(const std::optional<statistics::Estimate>& than,
           const std::optional<statistics::Estimate>& that) {
  return than && that &&
         than->value - that->value > kShows_ns + kSigmas * std::hypot(than->error, that->error);
}

// Of the tracks where the smallest writes were timed.
double sector_ns(const Samples& samples, const engine::LayoutMap& map,
                 const model::Rotation& rotation) {
  double sectors = 0, count = 0;
  for (const Sample& s : samples) {
    if (!s.write || s.experiment != Experiment::same_track || s.lbn >= map.blocks()) continue;
    sectors += map.track_of_slot(map.slot_of_lbn(s.lbn)).sectors;
    ++count;
  }
  return count > 0 ? model::revolution_ns(rotation) * count / sectors : 0;
}

}  // namespace

std::optional<WriteSupply> write_supply(const Samples& samples, const engine::LayoutMap& map,
                                        const model::Rotation& rotation) {
  const std::uint32_t unit = write_unit(samples);
  // The two smallest sizes that wait for their data: a drive may wait for no more than so many.
  std::map<std::uint32_t, statistics::Estimate> waiting;
  const auto one = on_one_track(samples, map, rotation, false);
  for (const std::uint32_t size : sizes_beyond(unit))
    if (const auto several = on_one_track(samples, map, rotation, false, size); later(several, one))
      waiting[size] = *several;
  if (waiting.size() < 2) return std::nullopt;
  const auto& [few, less] = *waiting.begin();
  const auto& [many, more] = *std::next(waiting.begin());
  if (!later(more, less)) return std::nullopt;
  const double apart = many - few, share = few / apart;
  WriteSupply found;
  found.block = {(more.value - less.value) / apart, std::hypot(more.error, less.error) / apart,
                 less.samples + more.samples};
  found.begins = {less.value - few * found.block.value,
                  std::hypot((1 + share) * less.error, share * more.error), found.block.samples};
  const statistics::Estimate alone{one->value - found.begins.value,
                                   std::hypot(one->error, found.begins.error), one->samples};
  found.over = {alone.value - unit * found.block.value,
                std::hypot(alone.error, unit * found.block.error), alone.samples};
  if (found.over.value > kShows_ns + kSigmas * found.over.error) found.least = alone;
  found.sector_ns = sector_ns(samples, map, rotation);
  return found;
}

namespace {

// What each block beyond the smallest write adds.
std::optional<statistics::Estimate> each_more(const Samples& samples, const engine::LayoutMap& map,
                                              const model::Rotation& rotation) {
  if (const auto supply = write_supply(samples, map, rotation)) return supply->block;
  // No two sizes show that they wait: by what the larger one takes longer, however little.
  const std::uint32_t unit = write_unit(samples);
  std::optional<statistics::Estimate> best;
  for (const bool after_write : {true, false}) {
    const auto least = on_one_track(samples, map, rotation, after_write);
    for (const std::uint32_t size : sizes_beyond(unit)) {
      const auto several = on_one_track(samples, map, rotation, after_write, size);
      if (!least || !several) continue;
      const double more = size - unit, share = (unit - 1) / more;
      // It is taken off the smallest writes' own time, whose error so counts 1 + share times.
      const double error = std::hypot(std::sqrt(share * (2 + share)) * least->error,
                                      share * several->error) /
                           (unit - 1);
      if (!best || error < best->error)
        best = {(several->value - least->value) / more, error, several->samples};
    }
  }
  return best;
}

}  // namespace

statistics::Estimate wait_for_data(const Samples& samples, const engine::LayoutMap& map,
                                   const model::Rotation& rotation,
                                   const statistics::Estimate& block) {
  const std::uint32_t unit = write_unit(samples);
  if (unit == 1) return block;
  const double others = unit - 1;
  const double as_they_pass = std::max(0.0, block.value - sector_ns(samples, map, rotation));
  if (const auto more = each_more(samples, map, rotation)) {
    constexpr double kTolerance = 0.15;  // of a block: as that of reads, where writes' is not known
    const auto adds = [&](double each) {
      return std::abs(more->value - each) < kSigmas * more->error + kTolerance * block.value;
    };
    // Over a bus that is slower than the media larger writes do not tell how many blocks it is that
    // a drive which does not wait for all of them waits for.
    if (adds(block.value) || (as_they_pass == 0 && adds(0)))
      return {block.value + others * more->value, std::hypot(block.error, others * more->error),
              more->samples};
  }
  const double reach = std::max(as_they_pass, block.value - as_they_pass);
  return {block.value + others * as_they_pass, std::hypot(block.error, others * reach), 1};
}

void measure_write_supply(Context& context, const std::vector<engine::Track>& tracks,
                          double target_error_ms) {
  const std::uint32_t unit = context.write_unit(), glance = glance_beyond(unit);
  const auto of = [&](bool after_write, std::uint32_t blocks) {
    return on_one_track(context.samples, *context.map, context.rotation, after_write, blocks);
  };
  const auto measure = [&](bool after_write, std::uint32_t blocks, double error_ms) {
    const auto known = of(after_write, blocks);
    if (blocks > context.drive.most_blocks()) return;
    if (!known || known->error > 1e6 * error_ms)
      measure_same_track(context, true, after_write, error_ms, tracks, blocks);
  };
  const auto measure_sizes = [&](double error_ms) {
    std::size_t waiting = 0;
    for (const std::uint32_t size : sizes_beyond(unit)) {
      if (waiting >= 2) return;
      measure(false, size, error_ms);
      waiting += later(of(false, size), of(false, unit)) ? 1 : 0;
    }
  };
  // Writes after writes are the cheaper ones.
  constexpr double kGlanceError_ms = 0.012, kDoubt = 1.5;
  measure(true, glance, kGlanceError_ms);
  if (!later(of(true, glance), of(true, unit))) return;
  measure(false, unit, target_error_ms);
  measure_sizes(kGlanceError_ms);
  const auto supply = write_supply(context.samples, *context.map, context.rotation);
  // Where a write's data begin is drawn from two sizes, by two to three of their errors.
  if (supply && supply->over.value > kShows_ns + kDoubt * supply->over.error)
    measure_sizes(target_error_ms / 2);
}

}  // namespace platter::mtbrc
