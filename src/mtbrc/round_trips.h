// Commands that need no media, timed all through a run: what the host and the path add to every
// other command's time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimate/samples.h"
#include "mtbrc/context.h"
#include "scsi/device.h"

namespace platter::mtbrc {

// So many TEST UNIT READYs, one after the other; fewer where time ends. Stamped where the host does
// that.
void measure_round_trips(Context& context, std::uint32_t count);
// Each round trip takes the one stamp that lies in it; of several none is known to be its own.
// Pure.
void take_stamps(std::span<estimate::Sample> round_trips, std::span<const scsi::Stamp> stamps);

}  // namespace platter::mtbrc
