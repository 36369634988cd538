// How far a drive reads on behind a request: its policies as DiskSim 4.0 names them (its manual,
// "Prefetch" parameters of disksim_disk).
#pragma once

#include <cstdint>

#include "engine/request.h"
#include "engine/tables.h"

namespace platter::engine {

// The first LBN that read-ahead behind the request will not read. Its segment begins with the LBN
// `segment_first`; `near` is the track on which the heads are.
std::uint64_t read_ahead_limit(const Tables& tables, const Request& request,
                               std::uint64_t segment_first, const Track& near);

}  // namespace platter::engine
