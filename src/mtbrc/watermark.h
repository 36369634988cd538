// When a drive begins to send what it reads: at once, or when so much of the request is in its
// buffer (the high watermark; DiskSim 4.0's manual, "High (read) water mark"; SCSI-2, mode page
// 02h, buffer full ratio). It shows in reads of several blocks whose first sector's angle is known.
#pragma once

#include "mtbrc/context.h"

namespace platter::mtbrc {

struct WatermarkOptions {
  std::uint32_t reads = 96;
  std::uint32_t least_blocks = 6, most_blocks = 48;  // at most a third of a track
  Budget budget{600, 6 * kSecond};                   // where the context has none
};

// Reads of random sizes, each behind a read half a turn away on the same track, so that the
// heads arrive outside of them. Caches off; context.map with angles.
void measure_watermark(Context& context, const WatermarkOptions& options = {});

// Share of the request in the buffer when sending begins; 0: with the first block, or so early that
// it does not show. `block_transfer` in ms: the bus hides what lies below its own pace. Pure.
model::Parameter estimate_watermark(const Samples& samples, const engine::LayoutMap& map,
                                    const model::Rotation& rotation,
                                    const model::Parameter& block_transfer);

// Blocks that the drive sends at a time, each portion once all of it is in the buffer (a transfer
// buffer between media and bus); 1: block by block. Absent where nothing tells. Pure.
model::Parameter estimate_portions(const Samples& samples, const engine::LayoutMap& map,
                                   const model::Rotation& rotation,
                                   const model::Parameter& block_transfer);

}  // namespace platter::mtbrc
