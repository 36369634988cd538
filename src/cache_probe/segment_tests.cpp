// What is held of one request, and of many.
#include <algorithm>
#include <cmath>

#include "cache_probe/division.h"
#include "cache_probe/facts.h"
#include "cache_probe/random_replacement.h"
#include "cache_probe/read_tests.h"

namespace platter::cache_probe {
namespace {

constexpr std::int64_t kFirstSegments = 16;
constexpr std::int64_t kStream = 64;  // reads
// So many probes alike: of few segments any of which may go, the same ones stay by chance.
constexpr std::uint64_t kAloneForSure = 10, kFewForSure = 5;
constexpr std::int64_t kFewSettled = 4;
constexpr std::int64_t kTracks = 2;         // of a request that is larger than a segment
constexpr std::int64_t kRequestGrowth = 4;  // of requests
constexpr double kReadAhead = 64;           // blocks, so that those of a stream are hits
constexpr double kLarger = 1.25;            // than what a segment holds else
constexpr std::int64_t kMostSegmentsTried = 2048;
constexpr std::uint64_t kBehindNever = 4;  // by chance it comes behind the blocks several times
constexpr int kBoundaryTrials = 6, kMostSizesInVain = 2;
constexpr int kFewOfMany = 2, kUsualOfMany = 8, kMostOfMany = 20;

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

void test_segment_count(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t track = prober.places().track_blocks(), reach = reach_blocks(record);
  const auto room = static_cast<std::int64_t>(prober.places().room());
  const std::int64_t most = std::clamp<std::int64_t>(room / (2 * (3 * track + reach)), 2,
                                                     kMostSegmentsTried);

  // The x-th newest of reads on distinct cylinders: the first of x.
  const auto scattered = [&](std::uint32_t blocks, std::int64_t probed,
                             double rest) -> Prober::Prepare {
    return [&prober, blocks, probed, rest](std::int64_t count) -> std::optional<Prober::Prepared> {
      const auto read = read_scattered(prober, count, blocks, rest);
      if (read.empty()) return std::nullopt;
      return Prober::Prepared{[read, probed](std::int64_t x) {
                                return read[read.size() - static_cast<std::size_t>(x)] +
                                       static_cast<std::uint64_t>(probed);
                              },
                              0, Setup{blocks, 0, 0}};
    };
  };
  const auto counts = expected(prober, &scsi::CachePage::segments);
  const std::int64_t horizon = counts.empty() ? kFirstSegments : counts[0] + 1;
  std::optional<Edge> count;
  // The newest read may be pushed out by its own read-ahead, which nothing breaks off: the older
  // ones tell.
  const std::int64_t newest = newest_is_pushed_out(record) ? 2 : 1;
  if (retained(record))
    count = prober.locate(Question::segments,
                          {.from = newest,
                           .limit = most,
                           .horizon = horizon,
                           .guesses = counts,
                           .each = true,
                           .search = false},
                          scattered(1, 0, 0));
  // Where requested blocks are dropped, or read-ahead pushes them out before the next read is
  // served, a block read ahead tells.
  const std::int64_t probed_ahead = block_ahead_that_tells(record);
  // Not the same each time: what is replaced at random leaves some of any age.
  const auto replaced_at_random_of = [&](Question question, const Prober::Prepare& reads) {
    const std::int64_t many = std::min(most, 3 * count->last_hit + kFirstSegments);
    const std::int64_t first = question == Question::segments ? newest : 1;
    for (int i = 0; i < kMostOfMany && !prober.spent(); ++i) {
      const Verdict random = replaced_at_random(record);
      if (i >= kFewOfMany && random == Verdict::miss) break;
      if (i >= kUsualOfMany && random == Verdict::hit) break;
      const auto prepared = reads(many);
      if (!prepared) continue;
      for (std::int64_t x = first; x <= many && !prober.spent(); ++x)
        prober.probe(Question::kept_of_many, x, prepared->target(x), 0, prepared->setup,
                     static_cast<std::uint32_t>(x - first));
    }
    return replaced_at_random(record) == Verdict::hit;
  };
  const Prober::Prepare at_once = scattered(1, 0, 0);
  bool random = count && count->mixed && replaced_at_random_of(Question::segments, at_once);
  Question counted_by = Question::segments;
  Prober::Prepare counted_reads = at_once;
  if (!random && reach > 0 && (!count || count->last_hit == 1)) {
    const Prober::Prepare settled_reads = scattered(1, probed_ahead,
                                                    reading_rev(prober, probed_ahead));
    auto settled = prober.locate(Question::segments_settled,
                                 {.from = 1,
                                  .limit = most,
                                  .horizon = horizon,
                                  .guesses = counts,
                                  .each = true,
                                  .search = false},
                                 settled_reads);
    // (As many as the drive says are no chance.)
    const bool as_told = settled && std::ranges::find(counts, settled->last_hit) != counts.end();
    if (settled && !as_told && !settled->mixed && settled->last_hit <= kFewSettled) {
      const Prober::Trial trial = prober.trial_of(Question::segments_settled, settled_reads);
      const std::uint64_t least = settled->last_hit == 1 ? kAloneForSure : kFewForSure;
      bool mixed = false;
      for (const std::int64_t x : {settled->last_hit, settled->last_hit + 1})
        if (x > 1 && x <= most)
          mixed |= prober.decide(Question::segments_settled, x, trial, least) == Verdict::mixed;
      settled = edge_of(record, Question::segments_settled);
      if (settled) settled->mixed |= mixed;
    }
    // One read that now and then stays beside another is no one segment.
    if (settled && (!count || !count->mixed || settled->last_hit > count->last_hit)) {
      counted_by = Question::segments_settled;
      counted_reads = settled_reads;
      count = settled;
      random = count->mixed && replaced_at_random_of(counted_by, counted_reads);
    }
  }
  if (count && count->mixed && !random)
    prober.search(counted_by, 1, most, 2, prober.trial_of(counted_by, counted_reads));

  // Whose turn is it: the oldest is read again before one more comes.
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

  // The same with full segments, where small requests do not fill them: a common buffer holds
  // fewer.
  const auto size = segment_size(record);
  if (!found || !size || size->only_ahead || size->bound || found->bound || found->random ||
      found->count < 2 || 2 * static_cast<double>(reach) >= size->blocks)
    return;
  const auto held = static_cast<std::int64_t>(std::min(size->blocks - size->error, 4096.0));
  const std::int64_t blocks = std::max<std::int64_t>(1, held - reach);
  const std::int64_t probed = std::max(blocks - 1, std::min(held / 2, blocks - 1 + reach));
  const auto counted = static_cast<std::int64_t>(found->count);
  const auto trial = prober.trial_of(Question::segments_full,
                                     scattered(static_cast<std::uint32_t>(blocks), probed,
                                               reach > 0 ? reading_rev(prober, reach) : 0));
  if (prober.decide(Question::segments_full, counted, trial) == Verdict::hit) return;
  prober.search(Question::segments_full, 1, counted, 2, trial);
}

void read_stream(Prober& prober, std::uint64_t lbn, std::int64_t reads, const ReadBlocks& read) {
  const auto size = segment_size(prober.record());
  const auto held = static_cast<std::uint32_t>(
      size ? std::clamp(size->blocks - size->error, 1.0, kReadAhead) : 1);
  std::uint64_t end = lbn;
  for (std::int64_t i = 0; i < reads; ++i) {
    const bool fill = held > 1 && lbn == end;
    read(lbn, fill ? held : 1);
    fill ? end += held : ++lbn;
  }
}

void test_adaptivity(Prober& prober) {
  const Record& record = prober.record();
  const auto size = segment_size(record);
  const auto count = segment_count(record);
  if (!size || !count || size->bound || size->only_ahead || count->random || count->bound) return;
  // A stream long enough for any drive to see it as one, then a request elsewhere (what the stream
  // itself left is of many sizes). The first of them is for drives that look at the load seldom.
  bool missed = false;
  const auto trial = [&](std::int64_t x) {
    const std::int64_t stream = missed ? kStream : reads_to_divide(record);
    const auto place = clean_place_for(prober, Kind::any, stream);
    const auto other = place_for_large(prober, x, reach_blocks(record));
    if (!place || !other) return false;
    read_stream(prober, place->first, stream, [&](std::uint64_t lbn, std::uint32_t blocks) {
      prober.context().drive.read(lbn, blocks);
    });
    prober.refresh_angle();
    prober.read(other->lbn, static_cast<std::uint32_t>(x));
    // The first block that nothing read behind pushes out of a segment that holds so many.
    const std::int64_t pushed = read_behind(record, other->setup.to_track_end,
                                            other->setup.to_cylinder_end);
    prober.probe(Question::held_in_stream, x, other->lbn + static_cast<std::uint64_t>(pushed),
                 pushed > 0 ? reading_rev(prober, pushed) : 0, other->setup);
    missed = !adapts(record);
    return true;
  };
  const double all = size->blocks * count->count;
  auto low = static_cast<std::int64_t>(kLarger * (size->blocks + 2 * size->error)) + 2;
  const std::int64_t longest = prober.context().drive.most_blocks();
  if (low > longest) return;
  if (prober.decide(Question::held_in_stream, low, trial) != Verdict::hit) return;
  auto high = static_cast<std::int64_t>(all) + 1;
  const auto holds = [&](std::int64_t x) {
    const bool hit = prober.decide(Question::held_in_stream, x, trial) == Verdict::hit;
    (hit ? low : high) = x;
  };
  const std::int64_t tracks = kTracks * prober.places().track_blocks();
  if (tracks > low && tracks < high && tracks <= longest) holds(tracks);
  test_division(prober, low);
  // So many blocks in a segment leave room for so many segments: until only one number is left.
  while (low + 1 < high && !prober.spent() &&
         std::ceil(all / static_cast<double>(high)) < std::floor(all / static_cast<double>(low))) {
    const std::int64_t next = std::min((low + high) / 2, 2 * low);
    if (next > longest) break;
    holds(next);
  }
  // As many segments again as there were for the tests behind.
  read_all_over(prober, reads_to_divide(record));
  read_scattered(prober, kStream, 1, 0);
}

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
  const auto coming = [&](double from_rev, double most_rev) -> Prober::Trial {
    return [&prober, track, before, from_rev, most_rev](std::int64_t key) {
      const auto place = clean_place_for(prober, Kind::any, track);
      if (!place) return false;
      const std::uint64_t lbn = place->first + 3 * place->blocks() / 4;
      prober.refresh_angle();
      prober.read(place->last + 1 + place->blocks() / 2);
      prober.rest_until(lbn, until_free_rev(prober), from_rev, most_rev);
      prober.read(lbn);
      prober.probe_now(Question::free_blocks, key, lbn - static_cast<std::uint64_t>(before),
                       setup_of(*place, lbn, 1));
      return true;
    };
  };
  if (prober.decide(Question::free_blocks, 0, coming(0.8, 0.9)) != Verdict::miss ||
      found_free_blocks(record))
    return;
  // From where read-ahead has brought it meanwhile the arm may have come just behind those blocks.
  prober.decide(Question::free_blocks, 1, coming(0.4, 0.5), kBehindNever);
}

}  // namespace platter::cache_probe
