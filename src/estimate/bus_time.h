// The time of a block on the bus, as far as it was measured.
#pragma once

#include "model/drive_model.h"
#include "model/stand_ins.h"

namespace platter::estimate {

// ms; where it is not known the bus is taken to be no slower than the media.
inline double acting_transfer_ms(const model::Parameter& block_transfer) {
  const model::Bus bus{.block_transfer = block_transfer,
                       .write_block_transfer = {},
                       .high_read_watermark = {},
                       .watermark_by_request_size = {}};
  return acting(bus, bus.block_transfer);
}

}  // namespace platter::estimate
