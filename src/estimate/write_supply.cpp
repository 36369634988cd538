#include "estimate/write_supply.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "estimate/samples.h"

namespace platter::estimate {
namespace {

constexpr double kSigmas = 4;

// Of the tracks where the smallest writes were timed.
double sector_ns(const Evidence& evidence) {
  const engine::LayoutMap& map = evidence.map();
  double sectors = 0, count = 0;
  for (const Sample& s : evidence.samples()) {
    if (!s.write || s.experiment != Experiment::same_track || s.lbn >= map.blocks()) continue;
    sectors += map.track_of_slot(map.slot_of_lbn(s.lbn)).sectors;
    ++count;
  }
  return count > 0 ? evidence.period_ns() * count / sectors : 0;
}

}  // namespace

std::array<std::uint32_t, 3> sizes_beyond(std::uint32_t write_unit) {
  const std::uint32_t least = std::max(4U, 2 * write_unit);
  return {least, 2 * least, 4 * least};
}

std::optional<statistics::Estimate> writes_on_one_track(const SameTrack& same_track,
                                                        bool after_write, std::uint32_t blocks) {
  const model::Parameter found = same_track.of(true, after_write, blocks);
  if (!found) return std::nullopt;
  return statistics::Estimate{*found.value * 1e6, *found.error * 1e6, found.samples};
}

bool is_later(const std::optional<statistics::Estimate>& than,
              const std::optional<statistics::Estimate>& that) {
  return than && that &&
         than->value - that->value > kShows_ns + kSigmas * std::hypot(than->error, that->error);
}

std::optional<WriteSupply> estimate_write_supply(const Evidence& evidence,
                                                 const SameTrack& same_track) {
  const std::uint32_t unit = evidence.write_unit();
  // The two smallest sizes that wait for their data: a drive may wait for no more than so many.
  std::map<std::uint32_t, statistics::Estimate> waiting;
  const auto one = writes_on_one_track(same_track, false, unit);
  for (const std::uint32_t size : sizes_beyond(unit))
    if (const auto several = writes_on_one_track(same_track, false, size); is_later(several, one))
      waiting[size] = *several;
  if (waiting.size() < 2) return std::nullopt;
  const auto& [few, less] = *waiting.begin();
  const auto& [many, more] = *std::next(waiting.begin());
  if (!is_later(more, less)) return std::nullopt;
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
  found.sector_ns = sector_ns(evidence);
  return found;
}

namespace {

// What each block beyond the smallest write adds.
std::optional<statistics::Estimate> each_more(std::uint32_t unit, const SameTrack& same_track,
                                              const std::optional<WriteSupply>& supply) {
  if (supply) return supply->block;
  // No two sizes show that they wait: by what the larger one takes longer, however little.
  std::optional<statistics::Estimate> best;
  for (const bool after_write : {true, false}) {
    const auto least = writes_on_one_track(same_track, after_write, unit);
    for (const std::uint32_t size : sizes_beyond(unit)) {
      const auto several = writes_on_one_track(same_track, after_write, size);
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

statistics::Estimate wait_for_data(const Evidence& evidence, const SameTrack& same_track,
                                   const std::optional<WriteSupply>& supply,
                                   const statistics::Estimate& block) {
  const std::uint32_t unit = evidence.write_unit();
  if (unit == 1) return block;
  const double others = unit - 1;
  const double as_they_pass = std::max(0.0, block.value - sector_ns(evidence));
  if (const auto more = each_more(unit, same_track, supply)) {
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

}  // namespace platter::estimate
