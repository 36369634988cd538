// A cache that replaces at random: how many segments it has, by which of many reads it kept. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cache_probe/record.h"
#include "cache_probe/verdict.h"

namespace platter::cache_probe {

// What the probes of scattered reads say, newest read first, each probe's log(P(response | hit) /
// P(response | miss)): of setups in which all were probed, and of the first probes of others, by
// the number of reads.
struct Kept {
  std::vector<std::vector<double>> setups;
  std::map<std::int64_t, Tally> first_of;
};
Kept kept_of(const Record& record);

// Each read takes the place of any segment. So of the reads from the newest on, the next one is
// still there if its segment is none of those that the newer ones hold: with m of them held, in (n
// - m) / n of all cases. A probe that misses is one more read, whose segment may be one that was
// counted already or not. `segments` is the likeliest number; 1.96 errors about it hold 99 %.
// `bound`: more than three times as many as were read are likely, too.
struct RandomReplacement {
  double segments = 0, error = 0;
  bool bound = false;
  double log_likelihood = 0;  // over that of all missing
};
std::optional<RandomReplacement> fit_random_replacement(const Kept& kept);

// Hit: what was kept fits random replacement much better than any number of segments that are all
// kept; miss: much worse.
struct AtRandom {
  Verdict verdict = Verdict::open;
  std::optional<RandomReplacement> fit;
};
AtRandom replaced_at_random(const Record& record);

}  // namespace platter::cache_probe
