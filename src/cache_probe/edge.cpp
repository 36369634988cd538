#include "cache_probe/edge.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace platter::cache_probe {
namespace {

// 1000 to 1, as for verdicts (verdict.cpp).
const double kLogOdds = std::log(1000.0);  // between cuts

}  // namespace

bool later_probes_count(Question question) { return question == Question::segments; }

bool is_fast(const Record& record, const Observation& seen) {
  return Responses(record).is_fast(seen);
}

std::map<std::int64_t, Tally> tallies_of(const Record& record, Question question) {
  std::map<std::int64_t, Tally> tallies;
  const Responses responses(record);
  for (const Observation& seen : record.observations) {
    if (seen.question != question || (seen.nth > 0 && !later_probes_count(question))) continue;
    tallies[seen.x].add(responses.log_ratio(seen));
  }
  return tallies;
}

Tally tally_of(const Record& record, Question question, std::int64_t x) {
  const auto tallies = tallies_of(record, question);
  const auto found = tallies.find(x);
  return found == tallies.end() ? Tally{} : found->second;
}

Judgement judge(const Record& record, Question question, std::int64_t x) {
  return judge(tally_of(record, question, x));
}

double Edge::error() const {
  const std::int64_t high = sure_miss ? *sure_miss : last_hit + 1;
  return 0.5 * static_cast<double>(std::max<std::int64_t>(0, high - 1 - sure_hit));
}

std::optional<Edge> edge_of(const Record& record, Question question) {
  const auto tallies = tallies_of(record, question);
  if (tallies.empty()) return std::nullopt;
  const std::vector<std::pair<std::int64_t, Tally>> steps(tallies.begin(), tallies.end());

  // Likelihood of the cut before step i, against that all miss: those below hit, all from i on
  // miss.
  std::vector<double> likelihood = {0};
  for (const auto& [x, tally] : steps)
    likelihood.push_back(likelihood.back() + log_likelihood(tally, 1));
  const auto best = std::ranges::max_element(likelihood);
  const auto cut = static_cast<std::size_t>(best - likelihood.begin());
  if (cut == 0) return std::nullopt;
  const auto may_be = [&](double of_cut) { return of_cut > *best - kLogOdds; };
  const auto first =
      static_cast<std::size_t>(std::ranges::find_if(likelihood, may_be) - likelihood.begin());
  const auto last =
      likelihood.size() - 1 -
      static_cast<std::size_t>(std::find_if(likelihood.rbegin(), likelihood.rend(), may_be) -
                               likelihood.rbegin());

  Edge edge;
  edge.last_hit = steps[cut - 1].first;
  if (cut < steps.size()) edge.first_miss = steps[cut].first;
  edge.sure_hit = first > 0 ? steps[first - 1].first : steps[0].first - 1;
  if (last < steps.size()) edge.sure_miss = steps[last].first;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    edge.samples += steps[i].second.all();
    const Verdict verdict = judge(steps[i].second).verdict;
    edge.mixed |= verdict != Verdict::open && verdict != (i < cut ? Verdict::hit : Verdict::miss);
  }
  return edge;
}

Question segments_counted_by(const Record& record) {
  const auto at_once = edge_of(record, Question::segments);
  const auto settled = edge_of(record, Question::segments_settled);
  const bool use_settled = settled && (!at_once || settled->last_hit > at_once->last_hit);
  return use_settled ? Question::segments_settled : Question::segments;
}

}  // namespace platter::cache_probe
