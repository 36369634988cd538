// The bus time of a block, ms.
#pragma once

#include <optional>

#include "estimate/evidence.h"
#include "estimate/hits.h"
#include "estimate/write_supply.h"

namespace platter::estimate {

// By the hits of reads alone.
model::Parameter estimate_hit_transfer(const Hits& hits);
// The same; where there are none by reads from the media, which a slow bus makes late (slow_bus.h).
model::Parameter estimate_block_transfer(const Evidence& evidence,
                                         const model::Parameter& hit_transfer);
// Of cached writes; else of writes to the media that wait for their data.
model::Parameter estimate_write_block_transfer(const Evidence& evidence, const Hits& hits,
                                               const model::Parameter& hit_transfer,
                                               const std::optional<WriteSupply>& supply);
// How long the smallest writes wait for their data (write_supply.h), of a block that takes so long
// on the bus.
model::Parameter wait_for_block(const Evidence& evidence, const SameTrack& same_track,
                                const std::optional<WriteSupply>& supply, model::Parameter block);
// The same; a block's bus time is that of writes, or else what hits of reads need.
model::Parameter estimate_write_data(const Evidence& evidence, const SameTrack& same_track,
                                     const std::optional<WriteSupply>& supply,
                                     const model::Parameter& hit_transfer,
                                     const model::Parameter& write_block_transfer);

}  // namespace platter::estimate
