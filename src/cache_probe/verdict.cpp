#include "cache_probe/verdict.h"

#include <algorithm>
#include <cmath>

namespace platter::cache_probe {
namespace {

// Chosen limits (docs/methods/cache.md, "The cache's tests"); how many probes are made follows from
// them.
constexpr double kMixedPrior = 0.02;
constexpr double kSure = 0.85;                    // posterior of the leading hypothesis
const double kVerdictLogOdds = std::log(1000.0);  // hit against miss
constexpr std::uint64_t kMostProbes = 16;
constexpr int kRates = 32;     // of "mixed" that are summed over
constexpr double kTold = 0.1;  // of an answer's logarithm; less is the same to both

double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return most + std::log(std::exp(a - most) + std::exp(b - most));
}

double log_if_mixed(const Tally& tally) {
  double sum = -1e300;
  for (int i = 0; i < kRates; ++i) sum = log_sum(sum, log_likelihood(tally, (i + 0.5) / kRates));
  return sum - std::log(kRates);
}

// Probability that another verdict than "hit" is right.
double error_if_hit(const Tally& tally) {
  const double even = std::log((1 - kMixedPrior) / 2);
  const double other = log_sum(even, std::log(kMixedPrior) + log_if_mixed(tally)) - even -
                       log_likelihood(tally, 1);
  return 1 / (1 + std::exp(-other));
}

}  // namespace

void Tally::add(double log_ratio) {
  ++(log_ratio > 0 ? fast : slow);
  ratios.push_back(log_ratio);
}

double log_likelihood(const Tally& tally, double hits) {
  double sum = 0;
  for (const double ratio : tally.ratios) {
    if (hits <= 0) continue;
    sum += hits >= 1 ? ratio : log_sum(std::log(hits) + ratio, std::log1p(-hits));
  }
  return sum;
}

Judgement judge(const Tally& tally) {
  if (tally.all() == 0) return {};
  const double even = std::log((1 - kMixedPrior) / 2);
  const double ratio = log_likelihood(tally, 1);
  const double hit = even + ratio, miss = even;
  const double mixed = std::log(kMixedPrior) + log_if_mixed(tally);
  const double all = log_sum(log_sum(hit, miss), mixed);
  const double p_hit = std::exp(hit - all), p_miss = std::exp(miss - all);
  if (p_hit >= kSure && ratio >= kVerdictLogOdds) return {Verdict::hit, 1 - p_hit};
  if (p_miss >= kSure && -ratio >= kVerdictLogOdds) return {Verdict::miss, 1 - p_miss};
  const double p_mixed = std::exp(mixed - all);
  if (p_mixed >= 0.95 || tally.all() >= kMostProbes) return {Verdict::mixed, 1 - p_mixed};
  return {Verdict::open, 1 - std::max(p_hit, p_miss)};
}

double error_of_some_hits(const Tally& tally) { return 1 / (1 + std::exp(log_if_mixed(tally))); }

double error_of_better(std::span<const double> better, std::span<const double> other) {
  Tally tally;
  for (std::size_t i = 0; i < better.size(); ++i)
    if (const double told = better[i] - other[i]; std::abs(told) > kTold) tally.add(told);
  return error_if_hit(tally);
}

}  // namespace platter::cache_probe
