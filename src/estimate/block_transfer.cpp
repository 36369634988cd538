#include "estimate/block_transfer.h"

#include "estimate/slow_bus.h"
#include "model/parameters.h"

namespace platter::estimate {

model::Parameter estimate_hit_transfer(const Hits& hits) { return transfer_of_hits(hits, false); }

model::Parameter estimate_block_transfer(const Evidence& evidence,
                                         const model::Parameter& hit_transfer) {
  if (hit_transfer || !evidence.has_map()) return hit_transfer;
  return estimate_slow_bus(evidence.samples(), evidence.map(), evidence.rotation());
}

model::Parameter estimate_write_block_transfer(const Evidence& evidence, const Hits& hits,
                                               const model::Parameter& hit_transfer,
                                               const std::optional<WriteSupply>& supply) {
  model::Parameter result = transfer_of_hits(hits, true);
  if (result) return result;
  if (!evidence.has_map()) return result;
  if (!evidence.has_writes())
    return model::absent(
        "no writes were timed: they need whole tracks in the ranges of --allow-writes", "ms");
  if (!supply)
    return model::absent(result.reason + ", and writes to the media do not wait for all their data",
                         "ms");
  // A drive that begins before it has all the data waits only for what the bus is slower by than
  // the media.
  if (hit_transfer && supply->is_nearer_to_what_the_bus_lags(1e6 * *hit_transfer.value))
    return model::absent(
        result.reason + ", and writes to the media begin before all their data are there", "ms");
  result.reason.clear();
  result.value = supply->block.value * 1e-6;
  result.error = supply->block.error * 1e-6;
  result.method = "MTBRC on one track of writes of several blocks, which wait for their data";
  result.samples = supply->block.samples;
  return result;
}

model::Parameter wait_for_block(const Evidence& evidence, const SameTrack& same_track,
                                const std::optional<WriteSupply>& supply, model::Parameter block) {
  if (evidence.write_unit() == 1 || !block) return block;
  const statistics::Estimate waits = wait_for_data(
      evidence, same_track, supply,
      {*block.value * 1e6, block.error.value_or(0) * 1e6, block.samples});
  block.value = waits.value * 1e-6;
  block.error = waits.error * 1e-6;
  return block;
}

model::Parameter estimate_write_data(const Evidence& evidence, const SameTrack& same_track,
                                     const std::optional<WriteSupply>& supply,
                                     const model::Parameter& hit_transfer,
                                     const model::Parameter& write_block_transfer) {
  return wait_for_block(evidence, same_track, supply,
                        write_block_transfer ? write_block_transfer : hit_transfer);
}

}  // namespace platter::estimate
