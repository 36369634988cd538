// Whether blocks that pass under the heads before the requested ones are kept.
#include <algorithm>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

// Chosen: by chance it comes behind the blocks several times.
constexpr std::uint64_t kBehindNever = 4;

}  // namespace

void test_free_blocks(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::uint32_t track = prober.places().track_blocks();
  const auto size = segment_size(record);
  const double room = size ? size->blocks / 2 : 4;
  const auto before = static_cast<std::int64_t>(
      std::clamp(std::min(track / 4.0, room), 1.0, static_cast<double>(track) / 4));
  // The arm comes from the next track (read-ahead does not go backward) and has so long for that
  // before the block arrives.
  const auto coming = [&](Question question, double from_rev, double most_rev) -> Prober::Trial {
    return [&prober, track, before, question, from_rev, most_rev](std::int64_t x) {
      const auto place = clean_place_for(prober, Kind::any, track);
      if (!place) return false;
      const std::uint64_t lbn = place->first + 3 * place->blocks() / 4;
      prober.refresh_angle();
      prober.read(place->last + 1 + place->blocks() / 2);
      prober.rest_until(lbn, until_free_rev(prober), from_rev, most_rev);
      prober.read(lbn);
      prober.probe_now(question, x, lbn - static_cast<std::uint64_t>(before),
                       setup_of(*place, lbn, 1));
      return true;
    };
  };
  if (prober.decide(Question::free_blocks, 0, coming(Question::free_blocks, 0.8, 0.9)) !=
          Verdict::miss ||
      found_free_blocks(record))
    return;
  // From where read-ahead has brought it meanwhile the arm may have come just behind those blocks.
  prober.decide(Question::free_blocks_near, 0, coming(Question::free_blocks_near, 0.4, 0.5),
                kBehindNever);
}

void estimate_free_blocks(Estimator& e) {
  model::Cache& c = e.cache();
  if (const auto reason = e.without_read_cache()) {
    c.read_free_blocks = absent(*reason);
    return;
  }
  const std::string before = "a block before the request, the arm having come early";
  Tally free_blocks;
  for (const Question question : {Question::free_blocks, Question::free_blocks_near})
    for (const double ratio : tally_of(e.record(), question, 0).ratios) free_blocks.add(ratio);
  c.read_free_blocks = found_free_blocks(e.record())
                           ? measured(1, error_of_some_hits(free_blocks), free_blocks.all(), before)
                           : e.yes_or_no(e.verdict(Question::free_blocks_near) == Verdict::hit
                                             ? Question::free_blocks_near
                                             : Question::free_blocks,
                                         before);
}

}  // namespace platter::cache_probe
