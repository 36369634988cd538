#include "cache_probe/verdict.h"

#include <algorithm>
#include <cmath>

namespace platter::cache_probe {
namespace {

constexpr double kMixedPrior = 0.05;
constexpr double kSure = 0.85;             // posterior of the leading hypothesis
const double kLogOdds = std::log(1000.0);  // hit against miss
constexpr std::uint64_t kMostProbes = 16;

double bounded(double rate) { return std::clamp(rate, 1e-4, 0.9); }

double log_if_mixed(const Tally& tally) {
  const auto fast = static_cast<double>(tally.fast), slow = static_cast<double>(tally.slow);
  return std::lgamma(fast + 1) + std::lgamma(slow + 1) - std::lgamma(fast + slow + 2);
}

}  // namespace

double log_if_hit(const Tally& tally, const Rates& rates) {
  const double slow = bounded(rates.slow_if_hit);
  return static_cast<double>(tally.fast) * std::log1p(-slow) +
         static_cast<double>(tally.slow) * std::log(slow);
}

double log_if_miss(const Tally& tally, const Rates& rates) {
  const double fast = bounded(rates.fast_if_miss);
  return static_cast<double>(tally.fast) * std::log(fast) +
         static_cast<double>(tally.slow) * std::log1p(-fast);
}

Judgement judge(const Tally& tally, const Rates& rates) {
  if (tally.all() == 0) return {};
  const double even = std::log((1 - kMixedPrior) / 2);
  const double hit = even + log_if_hit(tally, rates), miss = even + log_if_miss(tally, rates);
  const double mixed = std::log(kMixedPrior) + log_if_mixed(tally);
  const double most = std::max({hit, miss, mixed});
  const double sum = std::exp(hit - most) + std::exp(miss - most) + std::exp(mixed - most);
  const double p_hit = std::exp(hit - most) / sum, p_miss = std::exp(miss - most) / sum;
  if (p_hit >= kSure && hit - miss >= kLogOdds) return {Verdict::hit, 1 - p_hit};
  if (p_miss >= kSure && miss - hit >= kLogOdds) return {Verdict::miss, 1 - p_miss};
  const double p_mixed = std::exp(mixed - most) / sum;
  if (p_mixed >= 0.95 || tally.all() >= kMostProbes) return {Verdict::mixed, 1 - p_mixed};
  return {Verdict::open, 1 - std::max(p_hit, p_miss)};
}

}  // namespace platter::cache_probe
