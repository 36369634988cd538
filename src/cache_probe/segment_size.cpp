// How many blocks a segment holds: what is held of one request that is larger.
// What follows: segments.cpp.
#include <algorithm>
#include <functional>
#include <vector>

#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

// Chosen: how many sizes and places are tried before one is given up.
constexpr std::int64_t kRequestGrowth = 4;  // of requests
constexpr int kBoundaryTrials = 6, kMostSizesInVain = 2;

bool at_an_end(const Record& record, std::int64_t last_hit) {
  return std::ranges::any_of(record.observations, [&](const Observation& seen) {
    return seen.question == Question::held_upper && seen.x == last_hit &&
           (seen.x == seen.to_track_end || seen.x == seen.to_cylinder_end);
  });
}

// Behind requests that end with a track: is the end of one of the next two where read-ahead ends?
// Tracks being of several lengths, that is another number of blocks at each place.
void find_boundary_behind(Prober& prober, const Prober::Prepare& prepare) {
  for (const auto end : {&Setup::to_track_end, &Setup::to_cylinder_end}) {
    int in_vain = 0;
    for (int i = 0; i < kBoundaryTrials && in_vain < kMostSizesInVain && !prober.spent(); ++i) {
      const auto prepared = prepare(0);
      if (!prepared) return;
      const std::int64_t beyond = i % 2;
      const std::int64_t x = prepared->setup.*end + beyond;
      prober.probe(Question::held_upper, x, prepared->target(x), prepared->least_rev,
                   prepared->setup);
      in_vain += is_fast(prober.record(), prober.record().observations.back()) == (beyond == 0) ? 0
                                                                                                : 1;
    }
    if (end_behind(prober.record())) return;
  }
}

}  // namespace

void test_segment_size(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  // In pieces a request takes a segment for each.
  const std::int64_t most = std::min<std::int64_t>(most_requested(prober),
                                                   prober.context().drive.most_blocks());
  const std::int64_t reach = reach_blocks(record);
  const std::int64_t track = prober.places().track_blocks();
  const bool bounded = ends_at_boundary(record);
  const std::int64_t behind = sequential_tracks(record) ? 2 * (reach + 1) : reach;
  // Requests that are larger than a segment; the probes' places are counted from the first block.
  using Offset = std::function<std::int64_t(std::int64_t x, const Setup& setup)>;
  const auto large = [&](std::int64_t request, std::int64_t ahead,
                         const Offset& offset) -> Prober::Prepare {
    return [&prober, request, ahead, behind,
            offset](std::int64_t) -> std::optional<Prober::Prepared> {
      const auto at = place_for_large(prober, request, behind);
      if (!at) return std::nullopt;
      prober.refresh_angle();
      prober.read(at->lbn, static_cast<std::uint32_t>(request));
      return Prober::Prepared{[at, offset](std::int64_t x) {
                                return at->lbn + static_cast<std::uint64_t>(offset(x, at->setup));
                              },
                              ahead > 0 ? reading_rev(prober, ahead) : 0, at->setup};
    };
  };
  // As much is to be read ahead behind others as ever is.
  const auto roomy = [&](std::int64_t request) -> Prober::Prepare {
    return [&prober, request, reach, bounded](std::int64_t) -> std::optional<Prober::Prepared> {
      const auto place = clean_place_for(prober, bounded ? Kind::starts_cylinder : Kind::any_track,
                                         request + 2 * reach + kAlignment);
      if (!place) return std::nullopt;
      prober.refresh_angle();
      const std::uint64_t lbn = bounded ? place->first : aligned_start(*place, request);
      const auto blocks = static_cast<std::uint32_t>(request);
      prober.read(lbn, blocks);
      return Prober::Prepared{[lbn](std::int64_t) { return lbn; }, reading_rev(prober, reach),
                              setup_of(*place, lbn, blocks)};
    };
  };

  // Is the first block of a request of x blocks still there when read-ahead is complete?
  const auto first_held = [&](std::int64_t x) {
    return prober.decide(Question::held_first, x, prober.trial_of(Question::held_first, roomy(x)));
  };
  const auto overflows = [&](std::int64_t x) {
    const Offset first = [](std::int64_t, const Setup&) { return 0; };
    return prober.decide(Question::held_first, x,
                         prober.trial_of(Question::held_first, large(x, 0, first))) != Verdict::hit;
  };
  std::vector<std::int64_t> sizes = expected(prober, &scsi::CachePage::segment_blocks);
  std::int64_t request = 1;
  std::optional<Edge> upper;
  if (first_held(1) == Verdict::hit) {
    // A request that overflows the segment, and what is held behind it.
    request = std::min(most, sizes.empty() ? 2 * track : sizes[0] + kAlignment);
    while (!overflows(request) && request < most && !prober.spent())
      request = std::min(most, 4 * request);
    if (judge(record, Question::held_first, request).verdict != Verdict::miss) return;
    // Where read-ahead has no end that was found, neither has what a segment holds.
    if (const auto edge = reach_edge(record); edge && !edge->first_miss) return;
    std::vector<std::int64_t> ends = {reach};
    for (const std::int64_t end : expected(prober, &scsi::CachePage::max_prefetch))
      if (end <= 2 * reach) ends.push_back(end);
    const std::int64_t farthest = *std::ranges::max_element(ends) + 1;
    const Offset from_last = [&](std::int64_t x, const Setup&) { return request - 1 + x; };
    upper = prober.locate(Question::held_upper, {0, 2 * behind + 8, farthest, ends},
                          large(request, farthest - 1, from_last));
    if (sequential_tracks(record) && (!upper || upper->mixed || at_an_end(record, upper->last_hit)))
      find_boundary_behind(prober, large(request, behind, from_last));
  } else {
    upper = read_ahead_end(record);
  }
  if (request > 1 && (upper || end_behind(record))) {
    const std::int64_t top = request - 1 + (upper ? upper->sure_hit : 0);
    prober.locate(Question::held_lower, {0, top, top, sizes},
                  large(request, upper && !end_behind(record) ? upper->sure_hit : behind,
                        [&](std::int64_t x, const Setup& setup) {
                          return request - 1 +
                                 read_behind(record, setup.to_track_end, setup.to_cylinder_end) - x;
                        }));
  } else if (request == 1 && (upper || reach > 0)) {
    const std::int64_t top = upper ? upper->sure_hit : reach;
    prober.locate(Question::held_lower, {0, top, top, sizes},
                  [&](std::int64_t x) -> std::optional<Prober::Prepared> {
                    auto prepared = roomy(1)(x);
                    if (!prepared) return std::nullopt;
                    const std::uint64_t last = prepared->target(0) +
                                               static_cast<std::uint64_t>(top);
                    prepared->target = [last](std::int64_t back) {
                      return last - static_cast<std::uint64_t>(back);
                    };
                    return prepared;
                  });
  }
  // Where read-ahead did not end alike: the largest request whose first block stays.
  if (const auto size = segment_size(record);
      request > 1 && (!size || size->source == SegmentSize::Source::largest_kept))
    prober.search(
        Question::held_first, 1, request, kRequestGrowth,
        prober.trial_of(Question::held_first, [&](std::int64_t x) { return roomy(x)(x); }));
  // May read-ahead push out what was requested? A request that fills a segment tells.
  if (const auto size = segment_size(record); size && request > 1 && !size->bound)
    first_held(std::max<std::int64_t>(1, static_cast<std::int64_t>(size->blocks - size->error)));
}

}  // namespace platter::cache_probe
