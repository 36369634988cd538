// What a write waits for where no arm moves. Its data: each block more takes as long as it needs on
// the bus, on drives that wait for all of them before they begin. Or a least delay of the drive's
// own, behind which the data of the smallest write hide, so that such writes do not tell where the
// overhead ends and the settle begins.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "estimate/evidence.h"
#include "estimate/same_track.h"
#include "estimate/samples.h"
#include "statistics/robust.h"

namespace platter::estimate {

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

// nullopt: the drive does not wait for the data of several blocks, or they were not timed.
std::optional<WriteSupply> estimate_write_supply(const Evidence& evidence,
                                                 const SameTrack& same_track);

// How long the smallest write waits for its data, if no least delay hides that, ns. Of one block:
// its time on the bus, `block`. Of several (Context::write_unit()): what those behind the first add
// is what larger writes take longer for each block, if the drive waits for all of them, or the bus
// is as fast as the media. Else, and where larger ones were not timed, as if each were waited for
// when it passes, with an error that reaches from the first block to all.
statistics::Estimate wait_for_data(const Evidence& evidence, const SameTrack& same_track,
                                   const std::optional<WriteSupply>& supply,
                                   const statistics::Estimate& block);

// Sizes beyond the smallest write by which waiting shows; each twice the one before.
std::array<std::uint32_t, 3> sizes_beyond(std::uint32_t write_unit);
// What writes of one size take on one track, ns; nullopt: too few were timed.
std::optional<statistics::Estimate> writes_on_one_track(const SameTrack& same_track,
                                                        bool after_write, std::uint32_t blocks);
// Whether one is later than the other beyond doubt, and by what matters.
bool is_later(const std::optional<statistics::Estimate>& than,
              const std::optional<statistics::Estimate>& that);
inline constexpr double kShows_ns = 15e3;  // what is shorter shows in nothing

}  // namespace platter::estimate
