// Reads that the cache's tests sent to be served from the cache, as timed accesses: for where the
// experiments on hits found no way to get one.
#pragma once

#include "cache_probe/record.h"
#include "estimate/samples.h"

namespace platter::cache_probe {

// Experiment::hit; those that missed among them. Pure.
estimate::Samples timed_hits(const Record& record);

}  // namespace platter::cache_probe
