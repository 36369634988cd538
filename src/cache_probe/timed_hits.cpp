#include "cache_probe/timed_hits.h"

#include "estimate/samples.h"

namespace platter::cache_probe {

estimate::Samples timed_hits(const Record& record) {
  estimate::Samples hits;
  for (const Observation& seen : record.observations) {
    const bool read_of_cached = seen.question == Question::reread ||
                                seen.question == Question::next_block ||
                                seen.question == Question::large_hit;
    if (!read_of_cached || seen.write) continue;
    hits.push_back({.experiment = estimate::Experiment::hit,
                    .lbn = seen.lbn,
                    .blocks = seen.blocks,
                    .issued_ns = seen.issued_ns,
                    .completed_ns = seen.completed_ns,
                    .after_completed_ns = seen.issued_ns});
  }
  return hits;
}

}  // namespace platter::cache_probe
