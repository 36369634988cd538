// Hit or miss, decided from repeated probes: a sequential test over three hypotheses, so that a
// delayed hit or a lucky miss does not flip a fact. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace platter::cache_probe {

// What the probes of one hypothesis say.
struct Tally {
  std::uint64_t fast = 0, slow = 0;  // more like a hit; more like a miss
  std::vector<double> ratios;        // log(P(response | hit) / P(response | miss)) of each

  std::uint64_t all() const { return fast + slow; }
  void add(double log_ratio);
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
// "miss" and "mixed" (a rate uniform in 0 to 1, prior 2 %) after all probes so far. Open until hit
// and miss are told apart by 1000 to 1 and "mixed" is improbable, or 16 probes do not agree.
Judgement judge(const Tally& tally);

// Probability that the better of two models is wrong where they differ, from the logarithm of each
// answer's probability under the one and the other: each answer is a probe, and the drive may do
// now the one, now the other.
double error_of_better(std::span<const double> better, std::span<const double> other);

// Probability that all miss, where as likely as that some hit, now and then.
double error_of_some_hits(const Tally& tally);

// log(P(tally | each hits with this probability) / P(tally | all miss)).
double log_likelihood(const Tally& tally, double hits);

}  // namespace platter::cache_probe
