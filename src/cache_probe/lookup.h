// When a drive looks into its cache. A command for the next blocks of the track that is being read
// ahead costs a block's time if the drive finds its block there, and a revolution if it does not: a
// few us decide that, which no response time shows. So blocks are asked for just before and just
// after they have passed under the heads. What follows from it: cache_check/lookup_delay.h.
#pragma once

#include <vector>

#include "cache_probe/prober.h"

namespace platter::cache_probe {

// Pairs of reads: one elsewhere, and one a few blocks after it.
void test_lookup(Prober& prober);

// They point into the record.
struct LookupPair {
  const Observation* first = nullptr;
  const Observation* asked = nullptr;
};
std::vector<LookupPair> lookup_pairs(const Record& record);

// Revolutions: a block asked for is caught where it comes sooner. A miss takes most of one more.
inline constexpr double kCaught_rev = 0.5;

}  // namespace platter::cache_probe
