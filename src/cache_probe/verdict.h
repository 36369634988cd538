// Hit or miss, decided from repeated probes: a sequential test over three hypotheses, so that a
// delayed hit or a lucky miss does not flip a fact. Pure.
#pragma once

#include <cstdint>

namespace platter::cache_probe {

// How often one probe misleads. Both come from control probes where possible.
struct Rates {
  double fast_if_miss = 0.02;  // a media access that is as fast as a hit
  double slow_if_hit = 0.02;   // a hit that is delayed past the threshold
};

struct Tally {
  std::uint64_t fast = 0, slow = 0;
  std::uint64_t all() const { return fast + slow; }
  bool operator==(const Tally&) const = default;
};

enum class Verdict : std::uint8_t {
  open,  // more probes are needed
  hit,
  miss,
  mixed,  // sometimes the one, sometimes the other: the drive itself is of two minds
};

struct Judgement {
  Verdict verdict = Verdict::open;
  double error = 1;  // probability that the verdict is wrong
};

// Instead of one probe against a quarter revolution (DIXtrac, section 4.3): the posterior of "hit",
// "miss" and "mixed" (a rate uniform in 0 to 1, prior 5 %) after all probes so far. Open until hit
// and miss are told apart by 1000 to 1 and "mixed" is improbable, or 16 probes do not agree.
Judgement judge(const Tally& tally, const Rates& rates);

// log P(tally | hit), log P(tally | miss).
double log_if_hit(const Tally& tally, const Rates& rates);
double log_if_miss(const Tally& tally, const Rates& rates);

}  // namespace platter::cache_probe
