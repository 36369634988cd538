// What a write waits for where no arm moves. Its data: each block more takes as long as it needs on
// the bus, on drives that wait for all of them before they begin. Or a least delay of the drive's
// own, behind which the data of the smallest write hide, so that such writes do not tell where the
// overhead ends and the settle begins.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "mtbrc/context.h"
#include "statistics/robust.h"

namespace platter::mtbrc {

struct WriteSupply {
  // MTBRC of a write that follows a read on its track, if its data took no time and nothing else
  // were waited for, ns.
  statistics::Estimate begins;
  statistics::Estimate block;  // what one block more takes, ns
  statistics::Estimate over;   // what the smallest write takes beyond its data, ns
  // The drive's own least delay, if the smallest write waits for that and not for its data.
  std::optional<statistics::Estimate> least;
  double sector_ns = 0;  // what a block takes to pass under the heads

  // Whether `block` is rather what the bus takes longer for a block than the media than all that
  // it takes, `bus_ns`.
  bool is_nearer_to_what_the_bus_lags(double bus_ns) const {
    return block.value < bus_ns - std::min(bus_ns, sector_ns) / 2;
  }
};

// nullopt: the drive does not wait for the data of several blocks, or they were not timed. Pure.
std::optional<WriteSupply> write_supply(const Samples& samples, const engine::LayoutMap& map,
                                        const model::Rotation& rotation);

// How long the smallest write waits for its data, if no least delay hides that, ns. Of one block:
// its time on the bus, `block`. Of several (Context::write_unit()): what those behind the first add
// is what larger writes take longer for each block, if the drive waits for all of them, or the bus
// is as fast as the media. Else, and where larger ones were not timed, as if each were waited for
// when it passes, with an error that reaches from the first block to all. Pure.
statistics::Estimate wait_for_data(const Samples& samples, const engine::LayoutMap& map,
                                   const model::Rotation& rotation,
                                   const statistics::Estimate& block);

// Writes of several blocks on the tracks, which may be written: a few everywhere, and where they
// take longer than the smallest ones, as many as the error needs.
void measure_write_supply(Context& context, const std::vector<engine::Track>& tracks,
                          double target_error_ms);

}  // namespace platter::mtbrc
