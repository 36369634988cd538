#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cache_check/check.h"
#include "model/drive_model.h"
#include "model/stand_ins.h"

namespace platter::cache_check {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr double kMaskedSigmas = 3;

std::uint32_t fewest_sectors(const std::vector<model::LayoutNode>& nodes) {
  std::uint32_t fewest = kNone;
  for (const model::LayoutNode& node : nodes)
    fewest = std::min(fewest, node.sectors > 0 ? node.sectors : fewest_sectors(node.children));
  return fewest;
}

// What the drive does with the arm of its own accord, without a command that was decoded before. A
// hit on what is being read ahead leaves that as it is, so it takes a second segment of reads.
bool moves_by_itself(const model::Cache& cache) {
  const double of_writes = acting(cache, cache.separate_write_segment) != 0
                               ? acting(cache, cache.write_segments).value
                               : 0;
  const bool one_of_reads = cache.segments && *cache.segments.value - of_writes <= 1;
  return (acting(cache, cache.read_ahead_on_hit) != 0 && !one_of_reads) ||
         acting(cache, cache.read_ahead_resumes) != 0 || acting(cache, cache.destage_behind) != 0;
}

// That surely passes before a command sends the arm anywhere; 0 where that is not known.
double least_decoding_ms(const model::DriveModel& model) {
  const model::Overheads& o = model.overheads;
  std::vector<const model::Parameter*> decoding = {
      &o.read_miss_after_read, &o.read_miss_after_write, &o.write_miss_after_read,
      &o.write_miss_after_write};
  if (model.cache.write_back_level.value != 0)  // behind them it writes, or may
    decoding.insert(decoding.end(), {&o.write_hit_after_read, &o.write_hit_after_write});
  double least_ms = std::numeric_limits<double>::infinity();
  for (const model::Parameter* overhead : decoding)
    least_ms = std::min(least_ms,
                        model::acting(o, *overhead) - kMaskedSigmas * overhead->error.value_or(0));
  return std::max(0.0, least_ms);
}

}  // namespace

void explain_masked(model::DriveModel& model) {
  model::Parameter& stops = model.cache.stop_read_ahead_in_sector;
  const std::uint32_t sectors = fewest_sectors(model.layout.zones);
  if (stops || sectors == kNone || model.rotation.numerator_ns == 0 || moves_by_itself(model.cache))
    return;
  const double sector_ms = model::revolution_ns(model.rotation) * 1e-6 / sectors;
  const double decoding_ms = least_decoding_ms(model);
  if (decoding_ms <= sector_ms) return;
  stops.reason = fmt::format(
      "it does not show in the model: a sector passes in {:.3f} ms at most, commands take "
      "{:.3f} ms at least before the arm moves",
      sector_ms, decoding_ms);
}

}  // namespace platter::cache_check
