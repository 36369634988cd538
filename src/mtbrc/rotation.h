// Reads that tell the period of one revolution (estimate/rotation.h).
#pragma once

#include "estimate/rotation.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

struct RotationOptions {
  double target_relative_error = 1e-7;
  std::uint32_t first_reads = 32;  // the coarse stage
  std::uint32_t burst_reads = 6;
  Nanoseconds most_rest_ns = 300 * kMillisecond;
  Budget budget{4000, 40 * kSecond};  // where the context has none
};

// Accesses `lbn` (Context::probe) until the error is at most the target or the budget is used; sets
// context.rotation when measured. If a cache answers, the outcome says so. Where no block may be
// read twice, blocks downwards from `lbn` that had not been read before (walked_rotation.h).
estimate::RotationEstimate measure_rotation(Context& context, std::uint64_t lbn,
                                            const RotationOptions& options = {});

}  // namespace platter::mtbrc
