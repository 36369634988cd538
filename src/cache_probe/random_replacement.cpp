#include "cache_probe/random_replacement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cache_probe/edge.h"
#include "cache_probe/responses.h"

namespace platter::cache_probe {
namespace {

constexpr std::size_t kMostOfSetup = 3;  // segments, in probes of a setup
constexpr std::size_t kMostSegments = 1024;
constexpr double kInside = 0.99, kSigmas = 1.95;  // a whole number off is within 1.96 errors

// log-likelihood of the best cut: everything up to it hits, the rest misses.
double log_likelihood_of_cut(const std::map<std::int64_t, Tally>& tallies) {
  double likelihood = 0, best = 0;
  for (const auto& [x, tally] : tallies) {
    likelihood += log_likelihood(tally, 1);
    best = std::max(best, likelihood);
  }
  return best;
}

// log(P(probes of a setup | n segments) / P(all miss)), over how many different segments hold newer
// reads: that is known but for where the reads of missing probes went. `ratios` are those of a hit
// to a miss.
double log_likelihood_of_setup(const std::vector<double>& ratios, std::size_t n) {
  const double share = 1 / static_cast<double>(n);  // of one segment
  std::vector<double> held(std::min(n, ratios.size()) + 2), next(held.size());
  held[0] = 1;
  double log_sum = 0, product = 1;
  constexpr double kNone = 1e-25;  // of all: what is less likely is left out, and costs most
  constexpr double kLeast = 1e-200, kMost = 1e200;  // a product within does not overflow
  std::size_t first = 0, end = 1;                   // those that are likely at all
  for (const double if_hit : ratios) {
    double all = 0;
    end = std::min({end, held.size() - 1, n + 1});
    std::fill(next.begin() + static_cast<std::ptrdiff_t>(first),
              next.begin() + static_cast<std::ptrdiff_t>(end) + 1, 0.0);
    for (std::size_t m = first; m < end; ++m) {
      if (held[m] < kNone) continue;
      const double free = 1 - static_cast<double>(m) * share;
      // It is there, and holds one more; it is not, and is read into any.
      next[m + 1] += held[m] * free * (if_hit + 1 - free);
      next[m] += held[m] * (1 - free) * (1 - free);
    }
    for (std::size_t m = first; m <= end; ++m) all += next[m];
    if (all <= 0) return -1e9;
    product *= all;
    if (product < kLeast || product > kMost) log_sum += std::log(std::exchange(product, 1));
    for (std::size_t m = first; m <= end; ++m) held[m] = next[m] / all;
    while (first < end && held[first] < kNone) ++first;
    end = std::min(end + 1, held.size());
    while (end > first + 1 && held[end - 1] < kNone) --end;
  }
  return log_sum + std::log(product);
}

}  // namespace

Kept kept_of(const Record& record) {
  const Responses responses(record);
  Kept kept;
  const Question counted_by = segments_counted_by(record);
  for (const Observation& seen : record.observations) {
    if (seen.question == Question::kept_of_many) {
      // Those newer than the first that is asked for are there: nothing came after them.
      if (seen.nth == 0)
        kept.setups.emplace_back(static_cast<std::size_t>(seen.x - 1), Responses::kMostTold);
      if (!kept.setups.empty()) kept.setups.back().push_back(responses.log_ratio(seen));
    } else if (seen.question == counted_by && seen.nth == 0) {
      kept.first_of[seen.x].add(responses.log_ratio(seen));
    }
  }
  return kept;
}

std::optional<RandomReplacement> fit_random_replacement(const Kept& kept) {
  std::size_t most = 0;
  for (const auto& setup : kept.setups) most = std::max(most, setup.size());
  for (const auto& [x, tally] : kept.first_of) most = std::max(most, static_cast<std::size_t>(x));
  if (most < 3) return std::nullopt;
  const std::size_t limit = std::min(kMostSegments, kMostOfSetup * most);
  std::vector<std::vector<double>> setups = kept.setups;
  for (auto& setup : setups)
    for (double& ratio : setup) ratio = std::exp(ratio);
  std::vector<double> at(limit + 1, -1e300);
  std::size_t best = 1;
  for (std::size_t n = 1; n <= limit; ++n) {
    double sum = 0;
    for (const auto& setup : setups) sum += log_likelihood_of_setup(setup, n);
    for (const auto& [x, tally] : kept.first_of)
      sum += log_likelihood(tally,
                            std::pow(1 - 1.0 / static_cast<double>(n), static_cast<double>(x - 1)));
    at[n] = sum;
    if (sum > at[best]) best = n;
  }
  // So many on either side hold 99 % of what is likely.
  const auto within = [&](std::size_t off) {
    double near = 0, all = 0;
    for (std::size_t n = 1; n <= limit; ++n) {
      const double share = std::exp(at[n] - at[best]);
      all += share;
      if (n + off >= best && n <= best + off) near += share;
    }
    return near / all;
  };
  std::size_t off = 0;
  while (off < limit && within(off) < kInside) ++off;
  return RandomReplacement{static_cast<double>(best), static_cast<double>(off) / kSigmas,
                           best + off > limit, at[best]};
}

AtRandom replaced_at_random(const Record& record) {
  constexpr double kTold = 10;  // of the log-likelihood
  const Kept kept = kept_of(record);
  const auto fit = fit_random_replacement(kept);
  if (!fit) return {};
  auto tallies = kept.first_of;
  for (const auto& setup : kept.setups) {
    std::int64_t x = 0, missed = 0;
    for (const double ratio : setup) {
      tallies[++x + missed].add(ratio);
      missed += ratio > 0 ? 0 : 1;
    }
  }
  const double better = fit->log_likelihood - log_likelihood_of_cut(tallies);
  return {better > kTold ? Verdict::hit : better < -kTold ? Verdict::miss : Verdict::open, fit};
}

}  // namespace platter::cache_probe
