// The tests of what a drive keeps of reads; paper sections 4.3.1 to 4.3.4. They fill the record,
// what follows from it is in estimate.h.
#pragma once

#include <functional>

#include "cache_probe/read_setups.h"

namespace platter::cache_probe {

// How fast a miss can look. Says also whether the map's angles can be trusted to plan probes.
void test_miss_control(Prober& prober);
// Is a block kept once sent, and is the block behind it read as well.
void test_basics(Prober& prober);
// How far read-ahead goes from several places, and over which boundaries.
void test_read_ahead(Prober& prober);
// What is held of requests of growing size: the segment.
void test_segment_size(Prober& prober);
void test_segment_count(Prober& prober);
// Does the number of segments follow the load.
void test_adaptivity(Prober& prober);
// After how many requests it does; so many blocks in one request are held behind a stream.
void test_division(Prober& prober, std::int64_t blocks);
// So many reads in sequence, of a block each; but for those of many blocks that come before the
// reads of the same, so that these are hits whatever is read ahead.
using ReadBlocks = std::function<void(std::uint64_t lbn, std::uint32_t blocks)>;
void read_stream(Prober& prober, std::uint64_t lbn, std::int64_t reads, const ReadBlocks& read);
// So many reads each of which begins a stream, hits for the most part.
void read_all_over(Prober& prober, std::int64_t reads);
void test_free_blocks(Prober& prober);
// Does a hit start read-ahead again.
void test_read_ahead_on_hit(Prober& prober);
void test_zero_latency_read(Prober& prober);

// Samples with the first block of a request so far ahead of the heads when it is issued.
void sample_arrival(Prober& prober, Question question, std::uint32_t blocks,
                    const std::function<bool(double ahead_rev)>& sample, int samples = 12);

}  // namespace platter::cache_probe
