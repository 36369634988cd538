#include "cache_probe/facts.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace platter::cache_probe {
namespace {

constexpr int kMostSegments = 1024;

// log-likelihood of the best cut: everything up to it hits, the rest misses.
double log_likelihood_of_cut(const std::map<std::int64_t, Tally>& tallies, const Rates& rates) {
  double likelihood = 0;
  for (const auto& [x, tally] : tallies) likelihood += log_if_miss(tally, rates);
  double best = likelihood;
  for (const auto& [x, tally] : tallies) {
    likelihood += log_if_hit(tally, rates) - log_if_miss(tally, rates);
    best = std::max(best, likelihood);
  }
  return best;
}

}  // namespace

bool retained(const Record& record) {
  return judge(record, Question::reread, 0).verdict == Verdict::hit;
}

bool reads_ahead(const Record& record) {
  return judge(record, Question::next_block, 0).verdict == Verdict::hit ||
         judge(record, Question::next_block, 1).verdict == Verdict::hit;
}

std::int64_t reach_blocks(const Record& record) {
  const auto edge = edge_of(record, Question::reach);
  return edge ? edge->last_hit : 0;
}

std::optional<SegmentSize> segment_size(const Record& record) {
  SegmentSize size;
  size.only_ahead = !retained(record);
  if (const auto lower = edge_of(record, Question::held_lower)) {
    size.blocks = static_cast<double>(lower->last_hit + 1);
    size.error = lower->error();
    size.samples = lower->samples;
    size.bound = !lower->first_miss;
    return size;
  }
  if (const auto first = edge_of(record, Question::held_first)) {
    size.source = SegmentSize::Source::largest_kept;
    size.blocks = static_cast<double>(first->last_hit);
    size.error = first->error();
    size.samples = first->samples;
    size.bound = !first->first_miss;
    return size;
  }
  return std::nullopt;
}

std::optional<RandomReplacement> fit_random_replacement(
    const std::map<std::int64_t, Tally>& tallies, const Rates& rates) {
  if (tallies.size() < 3) return std::nullopt;
  const auto log_likelihood = [&](int segments) {
    double sum = 0;
    for (const auto& [x, tally] : tallies) {
      const double kept = std::pow(1 - 1.0 / segments, static_cast<double>(x - 1));
      const double fast = std::clamp(
          kept * (1 - rates.slow_if_hit) + (1 - kept) * rates.fast_if_miss, 1e-4, 1 - 1e-4);
      sum += static_cast<double>(tally.fast) * std::log(fast) +
             static_cast<double>(tally.slow) * std::log1p(-fast);
    }
    return sum;
  };
  int best = 1;
  std::vector<double> at(kMostSegments + 1);
  for (int n = 1; n <= kMostSegments; ++n) {
    at[n] = log_likelihood(n);
    if (at[n] > at[best]) best = n;
  }
  // The curvature of the log-likelihood is the inverse of the variance.
  double error = 0.5;
  if (best > 1 && best < kMostSegments) {
    const double curvature = 2 * at[best] - at[best - 1] - at[best + 1];
    if (curvature > 0) error = std::max(error, 1 / std::sqrt(curvature));
  }
  return RandomReplacement{static_cast<double>(best), error, at[best]};
}

std::optional<SegmentCount> segment_count(const Record& record) {
  const auto at_once = edge_of(record, Question::segments);
  const auto settled = edge_of(record, Question::segments_settled);
  if (!at_once && !settled) return std::nullopt;
  const bool use_settled = settled && (!at_once || settled->last_hit > at_once->last_hit);
  const Edge& edge = use_settled ? *settled : *at_once;
  SegmentCount found;
  found.settled = use_settled;
  found.count = static_cast<double>(edge.last_hit);
  found.error = edge.error();
  found.samples = edge.samples;
  found.bound = !edge.first_miss;
  found.mixed = edge.mixed;
  const auto tallies =
      tallies_of(record, use_settled ? Question::segments_settled : Question::segments);
  const Rates rates = rates_of(record);
  if (const auto random = fit_random_replacement(tallies, rates);
      random && edge.mixed && random->log_likelihood > log_likelihood_of_cut(tallies, rates) + 5) {
    found.count = random->segments;
    found.error = random->error;
    found.random = true;
    found.bound = false;
  }
  return found;
}

std::optional<double> bus_rev_per_block(const Record& record) {
  // The least response of each size: delays only add.
  std::optional<double> small, large;
  double blocks = 0;
  for (const Observation& seen : record.observations) {
    const auto response = static_cast<double>(seen.response_ns());
    if (seen.question == Question::reread) {
      small = std::min(small.value_or(response), response);
    } else if (seen.question == Question::large_hit) {
      large = std::min(large.value_or(response), response);
      blocks = static_cast<double>(seen.x);
    }
  }
  if (!small || !large || blocks < 2) return std::nullopt;
  return std::max(0.0, *large - *small) / (blocks - 1) / record.setting.period_ns;
}

std::optional<RunLength> run_length(const Record& record, Question question) {
  std::vector<double> lengths;
  std::size_t unbroken = 0;
  std::int64_t last = 0;
  const auto end_run = [&](bool broken) {
    if (last == 0) return;
    lengths.push_back(static_cast<double>(broken ? last - 1 : last));
    unbroken += broken ? 0 : 1;
    last = 0;
  };
  for (const Observation& seen : record.observations) {
    if (seen.question != question) continue;
    if (seen.x <= last) end_run(false);
    last = seen.x;
    if (!is_fast(seen, record.setting.period_ns)) end_run(true);
  }
  end_run(false);
  if (lengths.empty()) return std::nullopt;
  std::ranges::sort(lengths);
  const std::size_t n = lengths.size();
  RunLength run;
  run.runs = n;
  run.median = n % 2 ? lengths[n / 2] : 0.5 * (lengths[n / 2 - 1] + lengths[n / 2]);
  // Half the interquartile range as the spread; 1.25 / sqrt(n) of a sigma for a median.
  const double sigma = (lengths[(3 * n) / 4] - lengths[n / 4]) / 1.349;
  run.error = 1.25 * sigma / std::sqrt(static_cast<double>(n));
  run.bound = 2 * unbroken > n;
  return run;
}

}  // namespace platter::cache_probe
