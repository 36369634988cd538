// Writes that follow a read so many cylinders away (estimate/write_seeks.h).
#pragma once

#include <vector>

#include "estimate/samples.h"
#include "estimate/write_seeks.h"
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

// Writes within `permitted` only, from anywhere: even where few tracks may be written, the arm may
// come from far away. `model` has its seek curves and the write settle.
estimate::WriteSeeks measure_write_seeks(Context& context, const std::vector<LbnRange>& permitted,
                                         const model::DriveModel& model,
                                         const WriteSeekOptions& options = {});

}  // namespace platter::mtbrc
