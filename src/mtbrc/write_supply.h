// What a write waits for where no arm moves. Its data: each block more takes as long as it needs on
// the bus, on drives that wait for all of them before they begin. Or a least delay of the drive's
// own, behind which the data of one block hide, so that writes of one block do not tell where the
// overhead ends and the settle begins.
#pragma once

#include <optional>
#include <vector>

#include "mtbrc/context.h"
#include "statistics/robust.h"

namespace platter::mtbrc {

struct WriteSupply {
  // MTBRC of a write of one block that follows a read on its track, if its data took no time and
  // nothing else were waited for, ns.
  statistics::Estimate begins;
  statistics::Estimate block;  // what one block more takes, ns
  statistics::Estimate over;   // what one block takes beyond its data, ns
  // The drive's own least delay, if one block waits for that and not for its data.
  std::optional<statistics::Estimate> least;
};

// nullopt: the drive does not wait for the data of several blocks, or they were not timed. Pure.
std::optional<WriteSupply> write_supply(const Samples& samples, const engine::LayoutMap& map,
                                        const model::Rotation& rotation);

// Writes of several blocks on the tracks, which may be written: a few everywhere, and where they
// take longer than those of one block, as many as the error needs.
void measure_write_supply(Context& context, const std::vector<engine::Track>& tracks,
                          double target_error_ms);

}  // namespace platter::mtbrc
