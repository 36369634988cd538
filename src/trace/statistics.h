// What a trace asks for: counts, sizes, locality, rates.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace platter::trace {

struct Statistics {
  std::string name{};
  Kind kind = Kind::open;
  std::uint64_t requests = 0, reads = 0, writes = 0;
  std::uint64_t first_lbn = 0, last_lbn = 0;  // touched
  std::uint32_t min_blocks = 0, max_blocks = 0;
  double mean_blocks = 0;
  double sequential_share = 0;  // begin where the request before ended
  double local_share = 0;       // else begin within 500 LBNs of its beginning
  double mean_gap_ms = 0;       // open: between arrivals; closed: think time
  std::uint64_t measured = 0;   // requests with a service time
  double mean_service_ms = 0;   // of those
};

Statistics statistics_of(const Trace& trace);
std::string to_json(const Statistics& statistics);
std::string to_text(const Statistics& statistics);

}  // namespace platter::trace
