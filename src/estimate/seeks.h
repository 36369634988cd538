// The seek curve: SEEK commands where the drive has them and they prove to be its seeks, else
// MTBRCs of two reads `d` cylinders apart, same head, less MTBRC on one track (DIXtrac,
// section 4.2, "Seek Times": both methods). A seek time is from the end of the command's overhead
// until the arm is on track.
#pragma once

#include <optional>

#include "estimate/evidence.h"
#include "estimate/read_times.h"

namespace platter::estimate {

// Seeks inward and outward are compared first; only where they differ beyond doubt each direction
// has its own points.
struct Seeks {
  model::Seek seek;  // inward, where there is
  std::optional<model::Seek> outward;
};

Seeks estimate_seeks(const ReadTimes& reads);

}  // namespace platter::estimate
