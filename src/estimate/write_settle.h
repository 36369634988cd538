// The write settle (DIXtrac, section 4.2): MTBRC(write, write on another head of the cylinder) less
// MTBRC(write, write on the track) less the head switch; plus one block's transfer where it is
// known, because that is hidden behind the move but not on the track (so the paper's value is that
// much too small for a model in which the data come while the arm moves). Estimate again when cache
// hits have told the transfer. On a drive of one head the next cylinder takes the place of the
// other head. An effective time; may be negative.
#pragma once

#include <optional>

#include "estimate/evidence.h"
#include "estimate/head_switch.h"
#include "estimate/moves.h"
#include "estimate/read_times.h"
#include "estimate/same_track.h"
#include "estimate/write_supply.h"

namespace platter::estimate {

model::Parameter estimate_write_settle(const Evidence& evidence, const SameTrack& same_track,
                                       const ReadTimes& reads,
                                       const std::optional<WriteSupply>& supply,
                                       const HeadSwitch& head_switch,
                                       const model::Parameter& write_data);

// Whether writes over such a move take no longer than on one track: their data come over the bus
// meanwhile, and what is shorter shows nothing.
bool settle_is_hidden(const Evidence& evidence, const SameTrack& same_track, const ReadTimes& reads,
                      Over over, bool after_write);

}  // namespace platter::estimate
