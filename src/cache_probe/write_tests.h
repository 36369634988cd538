// The tests of what a drive keeps of writes; paper sections 4.3.1, 4.3.2 and 4.3.4. Only where
// writing is allowed; every write puts back what is there.
#pragma once

#include <vector>

#include "cache_probe/prober.h"

namespace platter::cache_probe {

// Blocks that may be written, kTargetBlocks from each LBN on, on tracks of their own and in random
// order; their contents are learnt. Empty: the ranges are too small.
std::vector<std::uint64_t> write_targets(Prober& prober,
                                         const std::vector<LbnRange>& writable);

void test_write_back(Prober& prober, const std::vector<std::uint64_t>& targets);
void test_reads_of_written(Prober& prober, const std::vector<std::uint64_t>& targets);
void test_write_segments(Prober& prober, const std::vector<std::uint64_t>& targets);
void test_zero_latency_write(Prober& prober, const std::vector<LbnRange>& writable);

}  // namespace platter::cache_probe
