#include "cache_probe/edge.h"

#include <algorithm>
#include <vector>

namespace platter::cache_probe {

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
  double likelihood = 0, best = 0;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    likelihood += log_likelihood(steps[i].second, 1);
    if (likelihood > best) {
      best = likelihood;
      cut = i + 1;
    }
  }
  if (cut == 0) return std::nullopt;

  Edge edge;
  edge.last_hit = steps[cut - 1].first;
  if (cut < steps.size()) edge.first_miss = steps[cut].first;
  // An x that is open says nothing, one that is of two minds says that the edge moves.
  edge.sure_hit = steps[0].first - 1;
  bool sure = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    edge.samples += steps[i].second.all();
    const Verdict verdict = judge(steps[i].second).verdict;
    const bool fits =
        verdict == Verdict::open || verdict == (i < cut ? Verdict::hit : Verdict::miss);
    edge.mixed |= !fits;
    sure &= fits && i < cut;
    if (sure && verdict == Verdict::hit) edge.sure_hit = steps[i].first;
  }
  for (std::size_t i = steps.size(); i-- > cut;) {
    const Verdict verdict = judge(steps[i].second).verdict;
    if (verdict == Verdict::miss) edge.sure_miss = steps[i].first;
    if (verdict == Verdict::hit || verdict == Verdict::mixed) break;
  }
  return edge;
}

}  // namespace platter::cache_probe
