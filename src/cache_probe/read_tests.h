// The tests of what a drive keeps of reads; paper sections 4.3.1 to 4.3.4. They fill the record,
// what follows from it is in estimate.h.
#pragma once

#include <functional>

#include "cache_probe/prober.h"

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
void test_free_blocks(Prober& prober);
// Does a hit start read-ahead again.
void test_read_ahead_on_hit(Prober& prober);
void test_zero_latency_read(Prober& prober);

// A place whose next blocks are free, too; where no cylinder begins any place will do.
std::optional<Place> place_for(Prober& prober, Kind kind, std::int64_t blocks);
// Until the arm follows the next command at once, whatever was read before.
double until_free_rev(const Prober& prober);
// So many, or a track's where what the order of access saves of a request of so many is too short to
// show beside how the drive uses the bus.
std::uint32_t blocks_that_tell(Prober& prober, std::uint32_t blocks);
// Time that reading on for so many blocks takes.
double reading_rev(const Prober& prober, std::int64_t blocks);
// Reads on distinct cylinders, in order; empty: no room.
std::vector<std::uint64_t> read_scattered(Prober& prober, std::int64_t count, std::uint32_t blocks,
                                          double rest_rev);

// Samples with the first block of a request so far ahead of the heads when it is issued.
void sample_arrival(Prober& prober, Question question, std::uint32_t blocks,
                    const std::function<bool(double ahead_rev)>& sample, int samples = 12);

}  // namespace platter::cache_probe
