// How many reads a cache keeps apart, and of which size.
// What follows: segments.cpp.
#include <algorithm>
#include <cmath>
#include <optional>

#include "cache_probe/facts.h"
#include "cache_probe/random_replacement.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

// Chosen: how many reads are tried, and how often. Of two segments the same one stays ten times by
// chance in 0.1 % of all cases.
constexpr std::int64_t kFirstSegments = 16;
// So many probes alike: of few segments any of which may go, the same ones stay by chance.
constexpr std::uint64_t kAloneForSure = 10, kFewForSure = 5;
constexpr std::int64_t kFewSettled = 4;
constexpr std::int64_t kMostSegmentsTried = 2048;
constexpr int kFewOfMany = 2, kUsualOfMany = 8, kMostOfMany = 20;

// The x-th newest of reads on distinct cylinders, or a block so far after it.
Prober::Prepare scattered(Prober& prober, std::uint32_t blocks, std::int64_t probed,
                          double rest_rev) {
  return
      [&prober, blocks, probed, rest_rev](std::int64_t count) -> std::optional<Prober::Prepared> {
        const auto read = read_scattered(prober, count, blocks, rest_rev);
        if (read.empty()) return std::nullopt;
        return Prober::Prepared{[read, probed](std::int64_t x) {
                                  return read[read.size() - static_cast<std::size_t>(x)] +
                                         static_cast<std::uint64_t>(probed);
                                },
                                0, Setup{blocks, 0, 0}};
      };
}

}  // namespace

void test_segment_count(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t track = prober.places().track_blocks(), reach = reach_blocks(record);
  const auto room = static_cast<std::int64_t>(prober.places().room());
  const std::int64_t most = std::clamp<std::int64_t>(room / (2 * (3 * track + reach)), 2,
                                                     kMostSegmentsTried);
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
                          scattered(prober, 1, 0, 0));
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
  const Prober::Prepare at_once = scattered(prober, 1, 0, 0);
  bool random = count && count->mixed && replaced_at_random_of(Question::segments, at_once);
  Question counted_by = Question::segments;
  Prober::Prepare counted_reads = at_once;
  if (!random && reach > 0 && (!count || count->last_hit == 1)) {
    const Prober::Prepare settled_reads = scattered(prober, 1, probed_ahead,
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
}

namespace {

// Chosen: few and large, so that what is read ahead between them hardly counts; still a part of the
// segments that are there.
constexpr std::int64_t kLargeReads = 8, kFewestSegments = 16;
constexpr std::int64_t kFinePart = 64;  // a buffer is measured to such a part of it
constexpr std::int64_t kMostLargeReads = 1024;
constexpr std::int64_t kMoreThanAhead = 4;  // times as long as what is read ahead

// Segments that are made as long as they need to be, out of one buffer: so many blocks in all, in
// requests that are as large as the drive takes them, and fit into a segment.
class BufferTest {
 public:
  BufferTest(Prober& prober, std::int64_t segments, std::int64_t longest)
      : prober_(prober),
        segments_(segments),
        longest_(std::min<std::int64_t>(
            {longest, most_requested(prober), prober.context().drive.most_blocks()})),
        room_(static_cast<std::int64_t>(prober.places().room()) / 4) {}

  void run() {
    const std::int64_t ahead = std::max<std::int64_t>(1, reach_blocks(prober_.record()));
    std::int64_t held = kLargeReads * kMoreThanAhead * ahead, lost = 0;
    if (longest_ < kMoreThanAhead * ahead || !holds(held)) return;
    while (lost == 0 && may_try(2 * held)) (holds(2 * held) ? held : lost) = 2 * held;
    while (lost - held > std::max<std::int64_t>(1, held / kFinePart) && !prober_.spent()) {
      const std::int64_t middle = held + (lost - held) / 2;
      (holds(middle) ? held : lost) = middle;
    }
  }

 private:
  std::int64_t reads_of(std::int64_t blocks) const {
    return std::max(kLargeReads, (blocks + longest_ - 1) / longest_);
  }
  bool may_try(std::int64_t blocks) const {
    return !prober_.spent() && blocks <= room_ &&
           reads_of(blocks) <= std::min(segments_ / 2, kMostLargeReads);
  }
  bool holds(std::int64_t blocks) {
    return prober_.decide(Question::buffer, blocks, [&](std::int64_t x) {
      const std::int64_t reads = reads_of(x);
      const auto length = static_cast<std::uint32_t>(x / reads);
      const auto read = read_scattered(prober_, reads, length, 0);
      if (read.empty()) return false;
      prober_.probe(Question::buffer, x, read.front(), 0, Setup{length, 0, 0});
      return true;
    }) == Verdict::hit;
  }

  Prober& prober_;
  std::int64_t segments_, longest_, room_;
};

}  // namespace

// One buffer for many segments: what small requests leave of it, large ones need.
void test_common_buffer(Prober& prober) {
  const Record& record = prober.record();
  const auto found = segment_count(record);
  const auto size = segment_size(record);
  if (!retained(record) || !found || found->settled || found->random ||
      found->count < static_cast<double>(kFewestSegments))
    return;
  const auto full = edge_of(record, Question::segments_full);
  const bool fixed = size && !size->bound && (!full || !full->first_miss);
  if (fixed) return;
  constexpr double kAny = 1e9;
  const double longest = size && !size->bound ? size->blocks - size->error : kAny;
  BufferTest(prober, std::llround(found->count - found->error),
             static_cast<std::int64_t>(longest) - reach_blocks(record))
      .run();
}

// The same with full segments, where small requests do not fill them: a common buffer holds fewer.
void test_shared_buffer(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t reach = reach_blocks(record);
  const auto found = segment_count(record);
  const auto size = segment_size(record);
  if (!found || !size || size->only_ahead || size->bound || found->bound || found->random ||
      found->count < 2 || 2 * static_cast<double>(reach) >= size->blocks)
    return;
  const auto held = static_cast<std::int64_t>(std::min(size->blocks - size->error, 4096.0));
  const std::int64_t blocks = std::max<std::int64_t>(1, held - reach);
  const std::int64_t probed = std::max(blocks - 1, std::min(held / 2, blocks - 1 + reach));
  const auto counted = static_cast<std::int64_t>(found->count);
  const auto trial = prober.trial_of(Question::segments_full,
                                     scattered(prober, static_cast<std::uint32_t>(blocks), probed,
                                               reach > 0 ? reading_rev(prober, reach) : 0));
  if (prober.decide(Question::segments_full, counted, trial) == Verdict::hit) return;
  prober.search(Question::segments_full, 1, counted, 2, trial);
}

}  // namespace platter::cache_probe
