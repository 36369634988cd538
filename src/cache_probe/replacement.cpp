// Whose segment new data take.
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

}  // namespace

// The oldest is read again before one more comes.
void test_replacement(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const auto found = segment_count(record);
  if (found && !found->bound && !found->random && !found->settled && found->count >= 2) {
    const auto counted = static_cast<std::int64_t>(found->count - found->error);
    // One more; where the number is not known exactly, enough.
    const auto more = 1 + static_cast<std::int64_t>(std::ceil(2 * found->error));
    prober.decide(Question::replaced, counted, [&](std::int64_t x) {
      // So many more would take any place.
      if (found->error > 0 && more >= x) return false;
      auto read = read_scattered(prober, x, 1, 0);
      if (read.empty()) return false;
      prober.context().drive.read(read[0], 1);
      if (read_scattered(prober, more, 1, 0).empty()) return false;
      prober.probe(Question::replaced, x, read[0], 0);
      return true;
    });
  }
}

void estimate_replacement(Estimator& e) {
  model::Cache& c = e.cache();
  if (const auto reason = e.without_read_cache()) {
    c.replacement = absent(*reason);
    return;
  }
  const auto count = segment_count(e.record());
  const auto counted = count ? static_cast<std::int64_t>(count->count - count->error) : 0;
  const std::string method =
      "the oldest of as many reads as there are segments, read again before one more";
  if (count && count->random) {
    c.replacement = measured(static_cast<double>(model::Replacement::random), 0, count->samples,
                             "shares kept of more and more reads");
  } else if (count && count->count == 1 && !count->bound) {
    c.replacement = absent("there is one segment");
  } else if (tally_of(e.record(), Question::replaced, counted).all() == 0) {
    c.replacement = absent(count && count->settled
                               ? "not testable: needs segments that keep requested blocks"
                               : "the number of segments is not known well enough");
  } else {
    c.replacement = e.yes_or_no(Question::replaced, method, counted, false);
  }
}

}  // namespace platter::cache_probe
