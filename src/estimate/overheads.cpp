#include "estimate/overheads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "estimate/block_transfer.h"
#include "model/parameters.h"
#include "statistics/robust.h"
#include "statistics/shape.h"

namespace platter::estimate {
namespace {

// What hits deviate from the median of their kind and size: the host's delay is the same for all.
std::vector<double> deviations_of_hits(const Hits& hits) {
  constexpr std::size_t kFewest = 12;  // whose median is worth something
  std::vector<double> deviations;
  for (const bool write : {false, true})
    for (const bool after_write : {false, true})
      if (const auto& times = hits.of(write, after_write)) {
        std::map<double, std::vector<double>> by_size;
        for (std::size_t i = 0; i < times->ms.size(); ++i)
          by_size[times->blocks[i]].push_back(times->ms[i]);
        for (const auto& [size, all] : by_size) {
          if (all.size() < kFewest) continue;
          const double middle = statistics::median(all);
          for (const double ms : all) deviations.push_back(ms - middle);
        }
      }
  return deviations;
}

// Of hits that the host made so late that they were taken for accesses to the media the times are
// gone; that there were such shifts the median.
std::vector<double> with_late_ones(std::vector<double> times, double late_share) {
  if (times.empty()) return times;
  const double all = static_cast<double>(times.size()) / (1 - std::min(late_share, 0.5));
  const double latest = *std::max_element(times.begin(), times.end());
  times.resize(static_cast<std::size_t>(std::llround(all)), latest);
  return times;
}

// The median, because what the host adds has a long tail: the sum is with the host's median delay.
// Some kinds of hits are too few to tell their own well.
std::optional<statistics::Estimate> median_of_hits(const Evidence& evidence, const Hits& hits,
                                                   const HitTimes& times, std::uint32_t blocks) {
  std::vector<double> mine = times.of_size(blocks);
  if (const auto& host = evidence.host_delay())
    mine = with_late_ones(std::move(mine), host->share_beyond(times.reach_ms));
  const auto by_shape = statistics::median_by_shape(mine, deviations_of_hits(hits));
  return by_shape ? by_shape : statistics::median_estimate(mine);
}

model::Parameter hit_overhead(const Evidence& evidence, const Hits& hits, bool write,
                              bool after_write, const model::Parameter& block_transfer) {
  const auto& times = hits.of(write, after_write);
  if (!times)
    return model::absent(write         ? "no cached writes were timed"
                         : after_write ? "no cache hits were timed that follow a write"
                                       : "no cache hits were timed",
                         "ms");
  if (!block_transfer) return model::absent("the bus time of a block is not known", "ms");
  const std::uint32_t fewest = write ? evidence.write_unit() : 1;
  const auto found = median_of_hits(evidence, hits, *times, fewest);
  if (!found) return model::absent("no cache hits were timed", "ms");
  model::Parameter result;
  result.unit = "ms";
  result.method = fewest == 1
                      ? "response time of cache hits, less one block's transfer"
                      : fmt::format("response time of cache hits of {} blocks, less their transfer",
                                    fewest);
  result.value = found->value - fewest * *block_transfer.value;
  result.error = std::hypot(found->error, fewest * block_transfer.error.value_or(0));
  result.samples = found->samples;
  return result;
}

model::Parameter miss_overhead(const Evidence& evidence, const SameTrack& same_track, bool write,
                               bool after_write, const model::Parameter& data,
                               const ReadTimes& reads,
                               const std::optional<statistics::Estimate>& least) {
  const bool any = std::ranges::any_of(evidence.samples(), [](const Sample& s) {
    return s.experiment == Experiment::same_track && (s.write || s.after_write);
  });
  if ((write || after_write) && !any)
    return model::absent(
        "no writes were timed: they need whole tracks in the ranges of --allow-writes", "ms");
  model::Parameter result = same_track.of(write, after_write);
  if (!result) return result;
  // What positioning noise delayed reads on one track by, as far as SEEK commands tell it apart.
  if (!write && reads.still_by_commands) {
    *result.value -= *reads.same_track.value - reads.still->value * 1e-6;
    // A read after a read is then what the commands say, its own trials are gone.
    const double still_ms = reads.still->error * 1e-6;
    result.error = after_write
                       ? std::hypot(*result.error, reads.same_track.error.value_or(0), still_ms)
                       : still_ms;
  }
  const std::uint32_t fewest = write ? evidence.write_unit() : 1;
  const bool verifies = !write && evidence.by_verifies();
  if (verifies) {
    const model::Parameter own = same_track.reads_among_verifies();
    if (!own) {
      result.method =
          "MTBRC of VERIFYs on one track, less one sector's media time; too few "
          "reads, which may take another time, could be timed";
      return result;
    }
    *result.value += *own.value - *reads.same_track.value;
    result.error = std::hypot(
        *result.error, own.error.value_or(0),
        after_write || reads.still_by_commands ? reads.same_track.error.value_or(0) : 0);
    result.samples += own.samples;
  }
  result.method = fewest == 1 ? "MTBRC on one track, less one sector's media time"
                              : fmt::format(
                                    "MTBRC on one track of writes of {} blocks, less their media "
                                    "time",
                                    fewest);
  if (least) {
    *result.value -= least->value * 1e-6;
    result.error = std::hypot(result.error.value_or(0), least->error * 1e-6);
    result.method += " and the least delay of a write";
  } else if (data) {
    *result.value -= *data.value;
    result.error = std::hypot(result.error.value_or(0), data.error.value_or(0));
    result.method += fewest == 1 ? " and one block's transfer"
                                 : " and what they wait for their data";
  }
  result.error = std::hypot(result.error.value_or(0), reads.host_unsure_ns * 1e-6);
  return result;
}

}  // namespace

model::Overheads estimate_overheads(const Evidence& evidence, const Hits& hits,
                                    const SameTrack& same_track, const ReadTimes& reads,
                                    const std::optional<WriteSupply>& supply,
                                    const model::Parameter& block_transfer,
                                    const model::Parameter& write_block_transfer) {
  const model::Parameter& of_writes = write_block_transfer ? write_block_transfer : block_transfer;
  const auto hit = [&](bool write, bool after_write) {
    return hit_overhead(evidence, hits, write, after_write, write ? of_writes : block_transfer);
  };
  model::Overheads o;
  o.read_hit_after_read = hit(false, false);
  o.read_hit_after_write = hit(false, true);
  o.write_hit_after_read = hit(true, false);
  o.write_hit_after_write = hit(true, true);
  if (!evidence.has_map()) {
    for (model::Parameter* figure :
         {&o.read_miss_after_read, &o.read_miss_after_write, &o.write_miss_after_read,
          &o.write_miss_after_write, &o.minimum_seek_delay})
      *figure = model::absent("the layout is not known", "ms");
    return o;
  }
  const model::Parameter write_data = wait_for_block(evidence, same_track, supply, of_writes);
  const auto miss = [&](bool write, bool after_write) {
    return miss_overhead(evidence, same_track, write, after_write,
                         write ? write_data : block_transfer, reads,
                         write && supply ? supply->least : std::nullopt);
  };
  o.read_miss_after_read = miss(false, false);
  o.read_miss_after_write = miss(false, true);
  o.write_miss_after_read = miss(true, false);
  o.write_miss_after_write = miss(true, true);
  if (supply && supply->least) {
    o.minimum_seek_delay.unit = "ms";
    o.minimum_seek_delay.value = supply->least->value * 1e-6;
    o.minimum_seek_delay.error = supply->least->error * 1e-6;
    const std::uint32_t unit = evidence.write_unit();
    o.minimum_seek_delay.method =
        unit == 1 ? "MTBRC on one track of writes of one block and of several"
                  : fmt::format("MTBRC on one track of writes of {} blocks and of more", unit);
    o.minimum_seek_delay.samples = supply->least->samples;
  } else {
    o.minimum_seek_delay = model::absent(
        supply                     ? "the smallest write waits for its data, and no longer"
        : o.write_miss_after_write ? "writes of several blocks were not timed, or wait for nothing"
                                   : o.write_miss_after_write.reason,
        "ms");
  }
  return o;
}

}  // namespace platter::estimate
