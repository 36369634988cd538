// How far a drive reads on behind a request: its policies as DiskSim 4.0 names them (its manual,
// "Prefetch" parameters of disksim_disk).
#pragma once

#include <cstdint>

#include "engine/request.h"
#include "engine/state.h"
#include "engine/tables.h"

namespace platter::engine {

// The first LBN that read-ahead behind the request will not read, into `segment`; `near` is
// where the heads are.
std::uint64_t read_ahead_limit(const Tables& tables, const Request& request, const Segment& segment,
                               const Whereabouts& near);
// Blocks behind the request that no other command keeps from being read.
std::uint64_t read_ahead_least(const CacheTable& cache, const Request& request);

}  // namespace platter::engine
