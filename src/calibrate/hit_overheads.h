// Command overheads of requests that the buffer serves, and the time of a block on the bus: their
// response times are nothing else.
#pragma once

#include <array>
#include <optional>

#include "calibrate/measurement.h"
#include "statistics/robust.h"

namespace platter::calibrate {

// In ms, to be added to the model's. nullopt: too few hits tell.
struct HitOverheads {
  // Read after read, read after write, write after read, write after write.
  std::array<std::optional<statistics::Estimate>, 4> command{};
  std::optional<statistics::Estimate> read_block{}, write_block{};
  // Of hits that carry on from the command before, of the same kind; reads only within that time of
  // its completion.
  std::optional<statistics::Estimate> read_sequential{}, write_sequential{}, read_within{};
};

// From the requests that both sides served without the media; Huber's regression of the differences
// on what was asked for, for reads and for writes.
// `within_known`: the model has that time already.
HitOverheads fit_hit_overheads(const Measurement& measured, const replay::Result& in_own_time,
                               std::optional<double> within_known_ms);

}  // namespace platter::calibrate
