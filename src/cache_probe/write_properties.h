// Properties of what a drive does with writes, as read_properties.h has those of reads. Tests
// rewrite sectors with what these hold, and only where that is allowed.
#pragma once

#include <vector>

#include "cache_probe/estimator.h"
#include "cache_probe/read_setups.h"
#include "cache_probe/targets.h"

namespace platter::cache_probe {

// Is a write complete before it is on the media, what do FUA and SYNCHRONIZE CACHE cost then.
void test_write_back(Prober& prober, Targets& targets);
void estimate_write_back(Estimator& e);

void test_reads_of_written(Prober& prober, Targets& targets);
void estimate_reads_of_written(Estimator& e);
// What is written has been read before; where writes update read data that would serve reads, too.
void forget_read_targets(Prober& prober);

// How many writes may wait for the media, and how many blocks.
void test_write_segments(Prober& prober, Targets& targets);
void test_separate_write_segment(Prober& prober, Targets& targets);

void test_destage(Prober& prober, Targets& targets);
void estimate_destage(Estimator& e);

void test_zero_latency_write(Prober& prober, const std::vector<LbnRange>& writable);
void estimate_zero_latency_write(Estimator& e);

}  // namespace platter::cache_probe
