// Seeks of writes: whether they are those of reads and the write settle behind them, over all
// distances (DIXtrac, section 4.2, "Seek Times": the paper takes that for granted); if not, a curve
// of their own. Known from MTBRCs of a write that follows a read so many cylinders away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/evidence.h"
#include "estimate/read_times.h"
#include "estimate/same_track.h"
#include "estimate/write_supply.h"
#include "statistics/robust.h"

namespace platter::estimate {

// The settle behind one distance.
struct DistantSettle {
  std::uint32_t cylinders = 0;
  double time_ms = 0;
  double error_ms = 0;  // its own; what all of them share is in WriteSeeks::shared_error_ms
  std::uint64_t samples = 0;
};

struct WriteSeeks {
  std::vector<DistantSettle> settles;  // ascending distance
  double shared_error_ms = 0;
  // The settle behind a switch of heads is that behind all of these.
  bool tied = false;
  // Else, and where there are enough distances: the curve, to higher cylinders.
  std::optional<model::Seek> curve;
  std::string note;  // what was found, for a reader
  // One settle that contradicts all others: it was taken where angles are not what the map says.
  std::optional<DistantSettle> stranger;
};

// `evidence.stated()` has the read seek curves and the write settle; without them nothing is known.
WriteSeeks estimate_write_seeks(const Evidence& evidence, const SameTrack& same_track,
                                const ReadTimes& reads, const std::optional<WriteSupply>& supply,
                                const model::Parameter& write_data);

// The read seek of a move by the model's curves, ms.
statistics::Estimate read_seek(const model::DriveModel& model, std::int64_t move);
// What a write behind a read on its own track takes beyond its positioning, as write_settle has it,
// ms.
std::optional<statistics::Estimate> estimate_still_write(const SameTrack& same_track,
                                                         const std::optional<WriteSupply>& supply,
                                                         const model::Parameter& write_data);
// Whether the settles are off each other or off the settle behind a switch of heads, by so many
// errors.
bool settles_apart(const WriteSeeks& found, const model::DriveModel& model, double sigmas);
// Distances of those that lie far from most others: a few trials may mislead.
std::vector<std::uint32_t> strangers(const std::vector<DistantSettle>& settles);

}  // namespace platter::estimate
