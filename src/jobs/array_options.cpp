#include "jobs/array_options.h"

namespace platter::jobs {

array::ArrayPlan ArrayOptions::plan() const {
  return {.level = *array::level_of(level),
          .chunk_bytes = stripe_kib * 1024,
          .balance = *array::balance_of(balance),
          .stripes = stripes,
          .missing = missing,
          .rebuild = rebuild,
          .rate = {.window_bytes = window_kib * 1024,
                   .least_bytes_per_s = least_kib_per_s * 1024,
                   .tick_ns = static_cast<Nanoseconds>(tick_ms * 1e6),
                   .most_bytes_per_s = most_kib_per_s * 1024},
          .merge_bytes = merge_kib * 1024,
          .device_queue = device_queue,
          .phase_seed = phase_seed};
}

}  // namespace platter::jobs
