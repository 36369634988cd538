#include "cache_probe/edge.h"

#include <algorithm>
#include <vector>

namespace platter::cache_probe {

bool is_fast(const Observation& seen, double period_ns) {
  return static_cast<double>(seen.response_ns()) < kFastRev * period_ns;
}

std::map<std::int64_t, Tally> tallies_of(const Record& record, Question question) {
  std::map<std::int64_t, Tally> tallies;
  for (const Observation& seen : record.observations) {
    if (seen.question != question) continue;
    Tally& tally = tallies[seen.x];
    ++(is_fast(seen, record.setting.period_ns) ? tally.fast : tally.slow);
  }
  return tallies;
}

Tally tally_of(const Record& record, Question question, std::int64_t x) {
  const auto tallies = tallies_of(record, question);
  const auto found = tallies.find(x);
  return found == tallies.end() ? Tally{} : found->second;
}

Rates rates_of(const Record& record) {
  Tally control;
  for (const auto& [x, tally] : tallies_of(record, Question::miss_control)) {
    control.fast += tally.fast;
    control.slow += tally.slow;
  }
  Rates rates;
  if (control.all() > 0) {
    rates.fast_if_miss =
        (static_cast<double>(control.fast) + 0.5) / (static_cast<double>(control.all()) + 1);
  }
  return rates;
}

Judgement judge(const Record& record, Question question, std::int64_t x) {
  return judge(tally_of(record, question, x), rates_of(record));
}

double Edge::error() const {
  const std::int64_t high = sure_miss ? *sure_miss : last_hit + 1;
  return 0.5 * static_cast<double>(std::max<std::int64_t>(0, high - 1 - sure_hit));
}

std::optional<Edge> edge_of(const Record& record, Question question) {
  const auto tallies = tallies_of(record, question);
  if (tallies.empty()) return std::nullopt;
  const Rates rates = rates_of(record);
  const std::vector<std::pair<std::int64_t, Tally>> steps(tallies.begin(), tallies.end());

  // Likelihood of the cut before step i: all below hit, all from i on miss.
  double likelihood = 0;
  for (const auto& [x, tally] : steps) likelihood += log_if_miss(tally, rates);
  double best = likelihood;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    likelihood += log_if_hit(steps[i].second, rates) - log_if_miss(steps[i].second, rates);
    if (likelihood > best) {
      best = likelihood;
      cut = i + 1;
    }
  }
  if (cut == 0) return std::nullopt;

  Edge edge;
  edge.last_hit = steps[cut - 1].first;
  if (cut < steps.size()) edge.first_miss = steps[cut].first;
  edge.sure_hit = edge.last_hit;
  edge.sure_miss = edge.first_miss;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    edge.samples += steps[i].second.all();
    const Verdict verdict = judge(steps[i].second, rates).verdict;
    if (i < cut && verdict != Verdict::hit) {
      edge.mixed |= verdict != Verdict::open;
      edge.sure_hit = std::min(edge.sure_hit, i == 0 ? steps[0].first - 1 : steps[i - 1].first);
    }
    if (i >= cut && verdict != Verdict::miss) {
      edge.mixed |= verdict != Verdict::open;
      if (i + 1 < steps.size())
        edge.sure_miss = steps[i + 1].first;
      else
        edge.sure_miss.reset();
    }
  }
  return edge;
}

}  // namespace platter::cache_probe
