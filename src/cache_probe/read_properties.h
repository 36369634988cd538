// Properties of what a drive keeps of reads (paper, sections 4.3.1 to 4.3.4): a test that asks the
// drive, and an estimate of what it answered, side by side in a file for each. Their order:
// properties.h.
#pragma once

#include "cache_probe/estimator.h"
#include "cache_probe/read_setups.h"

namespace platter::cache_probe {

// How fast a miss can look. Says also whether the map's angles can be trusted to plan probes.
void test_miss_control(Prober& prober);

// Is a block kept once sent, and is the next block read as well.
void test_read_caching(Prober& prober);
void estimate_read_caching(Estimator& e);

// How far read-ahead goes from several places, and over which boundaries.
void test_read_ahead(Prober& prober);
void estimate_read_ahead(Estimator& e);

// How far it gets before a read elsewhere stops it, and whether idle time or a hit starts it again.
void test_stopped_read_ahead(Prober& prober);
void estimate_stopped_read_ahead(Estimator& e);

// What is held of requests of growing size: the segment.
void test_segment_size(Prober& prober);
void test_segment_count(Prober& prober);
void test_shared_buffer(Prober& prober);
void test_common_buffer(Prober& prober);
void estimate_segments(Estimator& e);

void test_replacement(Prober& prober);
void estimate_replacement(Estimator& e);

// Does the number of segments follow the load.
void test_adaptivity(Prober& prober);
void estimate_adaptivity(Estimator& e);
// After how many requests it does; so many blocks in one request are held after a stream.
void test_division(Prober& prober, std::int64_t blocks);
// So many reads in sequence, of a block each; but for those of many blocks that come before the
// reads of the same, so that these are hits whatever is read ahead.
using ReadBlocks = std::function<void(std::uint64_t lbn, std::uint32_t blocks)>;
void read_stream(Prober& prober, std::uint64_t lbn, std::int64_t reads, const ReadBlocks& read);
// So many reads each of which begins a stream, hits for the most part.
void read_all_over(Prober& prober, std::int64_t reads);

// Reads in a row, and what goes on in several streams.
void test_streams(Prober& prober);
void estimate_streams(Estimator& e);

void test_free_blocks(Prober& prober);
void estimate_free_blocks(Estimator& e);

void test_zero_latency_read(Prober& prober);
void estimate_zero_latency_read(Estimator& e);

}  // namespace platter::cache_probe
