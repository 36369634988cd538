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

// How many reads are kept, by which question and reads that was counted.
struct Counted {
  std::optional<Edge> edge;
  Question by = Question::segments;
  Prober::Prepare reads;
  bool random = false;  // any of them may be replaced

  bool mixed() const { return edge && edge->mixed; }
};

// Not the same each time: what is replaced at random leaves some of any age.
bool ask_replaced_at_random(Prober& prober, const Counted& counted, std::int64_t first,
                            std::int64_t most) {
  const Record& record = prober.record();
  const std::int64_t many = std::min(most, 3 * counted.edge->last_hit + kFirstSegments);
  for (int i = 0; i < kMostOfMany && !prober.spent(); ++i) {
    const Verdict random = replaced_at_random(record).verdict;
    if (i >= kFewOfMany && random == Verdict::miss) break;
    if (i >= kUsualOfMany && random == Verdict::hit) break;
    const auto prepared = counted.reads(many);
    if (!prepared) continue;
    for (std::int64_t x = first; x <= many && !prober.spent(); ++x)
      prober.probe(Question::kept_of_many, x, prepared->target(x), 0, prepared->setup,
                   static_cast<std::uint32_t>(x - first));
  }
  return replaced_at_random(record).verdict == Verdict::hit;
}

// Of few segments the same ones may have stayed by chance; as many as the drive says are no chance.
void ask_again_of_few(Prober& prober, Counted& settled, const std::vector<std::int64_t>& told,
                      std::int64_t most) {
  if (!settled.edge || settled.edge->mixed || settled.edge->last_hit > kFewSettled ||
      std::ranges::find(told, settled.edge->last_hit) != told.end())
    return;
  const Prober::Trial trial = prober.trial_of(settled.by, settled.reads);
  const std::int64_t last = settled.edge->last_hit;
  const std::uint64_t least = last == 1 ? kAloneForSure : kFewForSure;
  bool mixed = false;
  for (const std::int64_t x : {last, last + 1})
    if (x > 1 && x <= most) mixed |= prober.decide(settled.by, x, trial, least) == Verdict::mixed;
  settled.edge = edge_of(prober.record(), settled.by);
  if (settled.edge) settled.edge->mixed |= mixed;
}

}  // namespace

void test_segment_count(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t track = prober.places().track_blocks(), reach = reach_blocks(record);
  const auto room = static_cast<std::int64_t>(prober.places().room());
  const std::int64_t most = std::clamp<std::int64_t>(room / (2 * (3 * track + reach)), 2,
                                                     kMostSegmentsTried);
  const auto told = expected(prober, &scsi::CachePage::segments);
  // The newest read may be pushed out by its own read-ahead, which nothing breaks off: the older
  // ones tell.
  const std::int64_t newest = newest_is_pushed_out(record) ? 2 : 1;
  const auto range = [&](std::int64_t from) {
    return Prober::Range{.from = from,
                         .limit = most,
                         .horizon = told.empty() ? kFirstSegments : told[0] + 1,
                         .guesses = told,
                         .each = true,
                         .search = false};
  };
  Counted count{.edge = {}, .reads = scattered(prober, 1, 0, 0)};
  if (retained(record)) count.edge = prober.locate(count.by, range(newest), count.reads);
  count.random = count.mixed() && ask_replaced_at_random(prober, count, newest, most);
  if (!count.random && reach > 0 && (!count.edge || count.edge->last_hit == 1)) {
    // Where requested blocks are dropped, or read-ahead pushes them out before the next read is
    // served, a block read ahead tells.
    const std::int64_t ahead = block_ahead_that_tells(record);
    Counted settled{.edge = {},
                    .by = Question::segments_settled,
                    .reads = scattered(prober, 1, ahead, reading_rev(prober, ahead))};
    settled.edge = prober.locate(settled.by, range(1), settled.reads);
    ask_again_of_few(prober, settled, told, most);
    // One read that now and then stays beside another is no one segment.
    if (settled.edge && (!count.mixed() || settled.edge->last_hit > count.edge->last_hit)) {
      count = settled;
      count.random = count.mixed() && ask_replaced_at_random(prober, count, 1, most);
    }
  }
  if (count.mixed() && !count.random)
    prober.search(count.by, 1, most, 2, prober.trial_of(count.by, count.reads));
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
  // Where all of them at once take seconds to fill, and more than buffers hold, fewer are tried
  // first.
  constexpr std::int64_t kMuch_bytes = 256 << 20;
  const std::int64_t all_bytes = counted * blocks * prober.context().drive.block_bytes();
  if (all_bytes <= kMuch_bytes &&
      prober.decide(Question::segments_full, counted, trial) == Verdict::hit)
    return;
  prober.search(Question::segments_full, 1, counted, 2, trial);
}

}  // namespace platter::cache_probe
