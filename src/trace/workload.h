// The two synthetic workloads with which DIXtrac was validated (Schindler & Ganger 1999, section
// 6.2), reproducible from their seed on every platform.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"
#include "model/lbn_range.h"

namespace platter::trace {

enum class WorkloadKind : std::uint8_t {
  random,  // independent requests, uniform over the drive: everything but the cache
  mixed,   // 20 % sequential, 30 % local (within 500 LBNs), 50 % uniform: the cache
};

struct Workload {
  WorkloadKind kind = WorkloadKind::random;
  std::uint64_t blocks = 0;  // capacity of the drive
  std::uint32_t block_bytes = 512;
  std::uint64_t requests = 5000;
  std::uint64_t seed = 1;
  bool reads_only = false;              // otherwise 2/3 reads, 1/3 writes
  std::vector<LbnRange> within{};   // all requests lie in these; empty: the whole drive
  std::vector<LbnRange> writes{};   // writes lie in these; empty: as all requests
};

// Open arrivals, inter-arrival times uniform between 0 and 72 ms. Sizes 2, 4, ... 12 KiB with the
// weights 10, 13, 16, 19, 22, 25 (the linear ones whose mean is the paper's 8 KiB), in whole blocks.
// A sequential or local write that would leave the allowed ranges is drawn uniformly from them.
// Throws Error(usage) where a range cannot hold the largest request.
Trace generate(const Workload& workload);

}  // namespace platter::trace
