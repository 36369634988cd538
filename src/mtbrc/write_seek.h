// Seeks of writes: whether they are those of reads and the write settle behind them, over all
// distances (DIXtrac, section 4.2, "Seek Times": the paper takes that for granted); if not, a curve
// of their own. Known from MTBRCs of a write that follows a read so many cylinders away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mtbrc/context.h"
#include "scsi/guard.h"

namespace platter::mtbrc {

struct WriteSeekOptions {
  std::uint32_t distances = 16;
  double glance_error_ms = 0.028;     // of a settle
  double error_ms = 0.010;            // of one where the settles are not alike
  double still_error_ms = 0.007;      // of a write that moves nothing, where that is not known yet
  Budget budget{4000, 30 * kSecond};  // where the context has none
};

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

// Writes within `permitted` only, from anywhere: even where few tracks may be written, the arm may
// come from far away. `model` has its seek curves and the write settle.
WriteSeeks measure_write_seeks(Context& context, const std::vector<LbnRange>& permitted,
                               const model::DriveModel& model,
                               const WriteSeekOptions& options = {});

// From kept samples. Pure.
WriteSeeks estimate_write_seeks(const Samples& samples, const engine::LayoutMap& map,
                                const model::DriveModel& model);

}  // namespace platter::mtbrc
