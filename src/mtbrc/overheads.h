// Command processing overheads, the eight of DIXtrac (section 4.4), and the bus time of a block.
// All are effective values: the host's own delay, about constant, is within them, because nothing
// that the host can see tells them apart.
#pragma once

#include <vector>

#include "mtbrc/context.h"
#include "scsi/guard.h"

namespace platter::mtbrc {

struct OverheadOptions {
  double target_error_ms = 0.002;
  std::uint32_t hits = 24;  // of each kind and size
  std::uint32_t most_hit_blocks = 64;
  Budget budget{6000, 20 * kSecond};  // where the context has none
};

// Misses, caches off: MTBRC on one track of a read after a read; with permitted ranges also of a
// read after a write, a write after a read, a write after a write.
void measure_miss_overheads(Context& context, const std::vector<LbnRange>& permitted,
                            const OverheadOptions& options = {});

// Hits, caches on (the caller has turned them on): reads of 1, 2, 4, ... blocks that the cache
// holds; with permitted ranges reads after a write and cached writes.
void measure_hit_overheads(Context& context, const std::vector<LbnRange>& permitted,
                           const OverheadOptions& options = {});

// Slope of hit time over blocks, ms for each block (without hits: slow_bus.h). Pure.
model::Parameter estimate_block_transfer(const Samples& samples, const model::Rotation& rotation);

// The same of cached writes; else of writes to the media that wait for their data. Pure.
model::Parameter estimate_write_block_transfer(const Samples& samples, const engine::LayoutMap& map,
                                               const model::Rotation& rotation);
// How long the smallest writes wait for their data (write_supply.h); a block's bus time is that, or
// else what reads need. Pure.
model::Parameter estimate_write_data(const Samples& samples, const engine::LayoutMap& map,
                                     const model::Rotation& rotation);

struct OverheadEstimate {
  model::Overheads overheads;
  model::Parameter block_transfer, write_block_transfer;  // ms for each block
};

// Hit overhead = time of hits less their blocks' transfer; block transfer = slope of hit time over
// blocks, or what makes reads from the media late. Miss overhead = MTBRC on one track less the
// sector's media time less its transfer; of the smallest writes, where they are of several blocks,
// less what they wait for their data; where a write on one track waits for a least delay of the
// drive's own (write_supply.h), that is taken off instead. What was not measured says why.
OverheadEstimate estimate_overheads(const Samples& samples, const engine::LayoutMap& map,
                                    const model::Rotation& rotation);

// The same of a drive whose map is not known: what hits tell. Pure.
OverheadEstimate estimate_hit_overheads(const Samples& samples, const model::Rotation& rotation);

// What hits deviate from the line of their kind over their blocks: the host's delay, the bus's, the
// drive's electronics'. nullopt: fewer than 100 hits. Pure.
std::optional<model::DelaySpread> estimate_delay_spread(const Samples& samples,
                                                        const model::Rotation& rotation);

}  // namespace platter::mtbrc
