// Command processing overheads, the eight of DIXtrac (section 4.4). All are effective values: the
// host's own delay, about constant, is within them, because nothing that the host can see tells
// them apart.
#pragma once

#include <optional>

#include "estimate/evidence.h"
#include "estimate/hits.h"
#include "estimate/read_times.h"
#include "estimate/same_track.h"
#include "estimate/write_supply.h"

namespace platter::estimate {

// Hit overhead = time of hits less their blocks' transfer. Miss overhead = MTBRC on one track less
// the sector's media time less its transfer; of the smallest writes, where they are of several
// blocks, less what they wait for their data; where a write on one track waits for a least delay of
// the drive's own (write_supply.h), that is taken off instead. What was not measured says why;
// without a map hits alone tell.
model::Overheads estimate_overheads(const Evidence& evidence, const Hits& hits,
                                    const SameTrack& same_track, const ReadTimes& reads,
                                    const std::optional<WriteSupply>& supply,
                                    const model::Parameter& block_transfer,
                                    const model::Parameter& write_block_transfer);

}  // namespace platter::estimate
