// Sequential streams: whether reads without a pause keep up with the media, what moves the end of
// read-ahead, how many streams it goes on in, and whether a segment grows with its stream.
#include "cache_probe/streams.h"

#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "model/known.h"

namespace platter::cache_probe {
namespace {

using model::absent;
using model::Parameter;

// Chosen: runs that tell losing a revolution each time from losing none, on a busy host too.
constexpr int kRuns = 2;
constexpr std::int64_t kReadsInARow = 12;
constexpr std::int64_t kOfTrack = 4;       // a read is such a part of it
constexpr std::int64_t kLeastReach = 64;   // blocks: of less, a quarter is no clear distance
constexpr std::int64_t kLeastOfTrack = 4;  // such a part of it takes longer than a host's delays
constexpr int kMostLate = 20;
constexpr std::int64_t kMostTold = 16, kMostStreams = kMostTold + 1;  // more than a model has
constexpr std::int64_t kGrownReaches = 4;  // a stream so many times as long as what is read ahead

void read_without_pause(Prober& prober) {
  const auto blocks = std::min<std::int64_t>(prober.context().drive.most_blocks(),
                                             prober.places().track_blocks() / kOfTrack);
  if (blocks < 1) return;
  const auto length = static_cast<std::uint32_t>(blocks);
  for (int run = 0; run < kRuns && !prober.spent(); ++run)
    prober.tolerate([&] {
      const auto place = clean_place_for(prober, Kind::any, (kReadsInARow + 1) * blocks);
      if (!place) return false;
      std::uint64_t lbn = place->first;
      for (std::int64_t i = 1; i <= kReadsInARow; ++i, lbn += length)
        prober.keep(Question::stream, i, prober.context().drive.read(lbn, length), lbn, length,
                    false, setup_of(*place, lbn, length));
      return true;
    });
}

double half_read_rev(const Prober& prober, std::int64_t reach) {
  return prober.track_rev() * static_cast<double>(reach) / 2 /
         static_cast<double>(prober.places().track_blocks());
}

// Whether read-ahead has an end of its own whose place is known, far enough to be probed behind.
std::optional<std::int64_t> end_known(const Record& record) {
  const auto edge = reach_edge(record);
  const std::int64_t reach = reach_blocks(record);
  if (!edge || !edge->first_miss || reach < kLeastReach || ends_at_boundary(record))
    return std::nullopt;
  return reach;
}

// A hit on a block that has been read ahead while others behind it still are, then one behind where
// read-ahead would have ended. (One that is still to come may be read anew, which has an end of its
// own.)
void move_end(Prober& prober, std::int64_t reach) {
  if (kLeastOfTrack * reach < prober.places().track_blocks()) return;
  int late = 0;
  prober.decide(Question::end_moved, 0, [&](std::int64_t key) {
    const auto place = clean_place_for(prober, Kind::any, 3 * reach);
    if (!place) return false;
    prober.refresh_angle();
    request(prober, place->first, 1);
    prober.rest_rev(half_read_rev(prober, reach));
    const auto hit = prober.read(place->first + static_cast<std::uint64_t>(reach / 4));
    if (!is_quick(prober, hit)) return ++late < kMostLate;
    prober.probe(Question::end_moved, key,
                 place->first + static_cast<std::uint64_t>(reach + reach / 8),
                 reading_rev(prober, 2 * reach), setup_of(*place, place->first, 1));
    return true;
  });
}

// One block of each of so many streams, then a pause; the x-th newest goes on by itself.
void go_on_when_idle(Prober& prober, std::int64_t reach, std::int64_t most) {
  const auto prepare = [&prober, reach](std::int64_t count) -> std::optional<Prober::Prepared> {
    const auto read = read_scattered(prober, count, 1, 0);
    if (read.empty()) return std::nullopt;
    return Prober::Prepared{[read, reach](std::int64_t x) {
                              return read[read.size() - static_cast<std::size_t>(x)] +
                                     static_cast<std::uint64_t>(reach - reach / 4);
                            },
                            static_cast<double>(count) * (1 + reading_rev(prober, reach)),
                            Setup{1, 0, 0}};
  };
  prober.search(Question::streams, 1, most, 2, prober.trial_of(Question::streams, prepare));
}

// So many streams have begun; a hit in the oldest of them moves its read-ahead on.
void go_on_behind_hits(Prober& prober, std::int64_t reach, std::int64_t most) {
  prober.search(Question::streams, 2, most, 2, [&](std::int64_t count) {
    const auto read = read_scattered(prober, count, 1, 0);
    if (read.empty()) return false;
    prober.rest_rev(reading_rev(prober, reach));
    prober.read(read.front());
    prober.probe(Question::streams, count,
                 read.front() + static_cast<std::uint64_t>(reach - reach / 4),
                 reading_rev(prober, reach), Setup{1, 0, 0});
    return true;
  });
}

void go_on_in_several(Prober& prober, std::int64_t reach) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  if (!count || count->count < 2) return;
  const auto most = std::min<std::int64_t>(kMostStreams, std::llround(count->count - count->error));
  if (judge(record, Question::interrupted, 0).verdict == Verdict::hit)
    go_on_when_idle(prober, reach, most);
  else if (judge(record, Question::interrupted_hit, 0).verdict == Verdict::hit)
    go_on_behind_hits(prober, reach, most);
}

// The first block of a stream that is far longer than what a request and its read-ahead take. Each
// read but the first is a hit, so that all of them are of one stream and not each of its own.
void grow(Prober& prober, std::int64_t reach) {
  const std::int64_t blocks = std::min<std::int64_t>(prober.context().drive.most_blocks(),
                                                     std::max<std::int64_t>(1, reach / 2));
  const std::int64_t reads = kGrownReaches * reach / blocks;
  int late = 0;
  prober.decide(Question::grown, reads * blocks, [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::any, x + 2 * reach);
    if (!place) return false;
    request(prober, place->first, static_cast<std::uint32_t>(blocks));
    for (std::int64_t i = 1; i < reads && !prober.spent(); ++i) {
      prober.rest_rev(reading_rev(prober, reach));
      const std::uint64_t first = place->first + static_cast<std::uint64_t>(i * blocks);
      if (!is_quick(prober, prober.read(first + static_cast<std::uint64_t>(blocks) - 1)))
        return ++late < kMostLate;
    }
    prober.probe(Question::grown, x, place->first, reading_rev(prober, reach),
                 setup_of(*place, place->first, static_cast<std::uint32_t>(blocks)));
    return true;
  });
}

Parameter streams_of(Estimator& e) {
  const auto edge = edge_of(e.record(), Question::streams);
  if (edge && edge->last_hit > kMostTold)
    return model::at_least(static_cast<double>(kMostTold), "a model tells of no more");
  const std::string method = "so many streams begun, the oldest probed behind what was read of it";
  if (edge && edge->first_miss)
    return counted(static_cast<double>(edge->last_hit), edge->error(), edge->samples, method);
  if (edge) return model::at_least(static_cast<double>(edge->last_hit), "more could not be tried");
  // Neither idle time nor a hit moves on what another read has stopped, but a hit what it has not.
  const Tally alone = tally_of(e.record(), Question::hit_at_end, 0);
  if (e.verdict(Question::hit_at_end) == Verdict::hit &&
      e.verdict(Question::interrupted) == Verdict::miss &&
      e.verdict(Question::interrupted_hit) == Verdict::miss)
    return measured(1, 0, alone.all(), "hits behind a read, with and without another in between");
  return absent("no read-ahead was seen to go on in more than one stream");
}

Parameter growing(Estimator& e) {
  const auto tallies = tallies_of(e.record(), Question::grown);
  const auto buffer = edge_of(e.record(), Question::buffer);
  if (!buffer || !buffer->first_miss) return absent("segments share no buffer, as far as was seen");
  if (tallies.empty()) return absent("read-ahead was not seen to go on behind hits");
  return e.yes_or_no(Question::grown, "first block of a long sequential stream",
                     tallies.begin()->first);
}

}  // namespace

std::vector<std::vector<const Observation*>> reads_without_pause(const Record& record) {
  std::vector<std::vector<const Observation*>> runs;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::stream) continue;
    if (seen.x == 1) runs.emplace_back();
    if (!runs.empty()) runs.back().push_back(&seen);
  }
  return runs;
}

void test_streams(Prober& prober) {
  const Record& record = prober.record();
  if (!reads_ahead(record)) return;
  if (tally_of(record, Question::lookup, 0).all() == 0) read_without_pause(prober);
  const auto reach = end_known(record);
  if (!retained(record) || !reach) return;
  move_end(prober, *reach);
  if (!after_sequential(record)) go_on_in_several(prober, *reach);
  if (edge_of(record, Question::buffer) &&
      judge(record, Question::hit_at_end, 0).verdict == Verdict::hit)
    grow(prober, *reach);
}

void estimate_streams(Estimator& e) {
  model::Cache& c = e.cache();
  if (!reads_ahead(e.record())) {
    c.read_ahead_streams = c.read_ahead_fixed_end = c.segments_grow =
        absent(e.without_read_ahead());
    return;
  }
  c.read_ahead_streams = streams_of(e);
  c.read_ahead_fixed_end =
      tally_of(e.record(), Question::end_moved, 0).all() > 0
          ? e.yes_or_no(Question::end_moved,
                        "a block behind the end of read-ahead, after a hit in front of it", 0,
                        false)
          : absent("read-ahead has no end of its own to be seen");
  c.segments_grow = growing(e);
}

}  // namespace platter::cache_probe
