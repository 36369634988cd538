// When a drive begins to send what it reads: at once, or when so much of the request is in its
// buffer (the high watermark; DiskSim 4.0's manual, "High (read) water mark"; SCSI-2, mode page
// 02h, buffer full ratio). It shows in reads of several blocks whose first sector's angle is known.
#pragma once

#include "estimate/evidence.h"

namespace platter::estimate {

// Share of the request in the buffer when sending begins; 0: with the first block, or so early that
// it does not show. `block_transfer` in ms: the bus hides what lies below its own pace.
model::Parameter estimate_watermark(const Evidence& evidence,
                                    const model::Parameter& block_transfer);

// Blocks that the drive sends at a time, each portion once all of it is in the buffer (a transfer
// buffer between media and bus); 1: block by block. Absent where nothing tells.
model::Parameter estimate_portions(const Evidence& evidence,
                                   const model::Parameter& block_transfer);

}  // namespace platter::estimate
