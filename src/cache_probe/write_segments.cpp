// How many writes may wait for the media, and how many blocks; whether they take segments of reads.
// What follows: segments.cpp, destage.cpp.
#include <algorithm>

#include "cache_probe/facts.h"
#include "cache_probe/waiting_data.h"
#include "cache_probe/write_properties.h"

namespace platter::cache_probe {

namespace {

// Chosen: runs until three agree, and no more than fit into some seconds.
constexpr std::size_t kMostTargets = 64;
constexpr std::size_t kMostLarge = 20;
constexpr std::uint32_t kMostOfLargeWrite = 1024;  // blocks
constexpr int kMostRuns = 7, kRunsThatAgree = 3;
constexpr int kMostFills = 60;
constexpr std::int64_t kFirstHeld = 5;

// One write after another without pause until one has to wait; true: none had to.
bool run_writes(Prober& prober, Question question, const std::vector<std::uint64_t>& lbns,
                std::uint32_t blocks) {
  prober.refresh_angle();
  prober.rest_until(lbns[0], 0);
  // Known before the run begins, in which there is to be no pause.
  const double longest_ns = longest_write_ns(prober.record(), blocks);
  for (std::size_t i = 0; i < lbns.size(); ++i) {
    const auto done = prober.context().drive.write(lbns[i], blocks);
    prober.keep(question, static_cast<std::int64_t>(i + 1), done, lbns[i], blocks, true,
                Setup{blocks, 0, 0});
    // The first one never waits: its time is that of a write behind whatever came before the run.
    if (i > 0 && static_cast<double>(done.response_ns()) > longest_ns) return false;
  }
  return true;
}

// So many blocks as writes of at most `piece`, each at the beginning of one of `lbns`, without
// pause; at least two, for the first is always taken; all of whole physical blocks. Kept is the one
// that had to wait, or the last one.
void fill(Prober& prober, const std::vector<std::uint64_t>& lbns, std::int64_t blocks,
          std::uint32_t piece) {
  prober.refresh_angle();
  prober.rest_until(lbns[0], 0);
  std::int64_t rest = blocks;
  for (const std::uint64_t lbn : lbns) {
    const auto most = rest == blocks ? std::min<std::int64_t>(piece, blocks - prober.write_unit())
                                     : piece;
    const auto of_this = static_cast<std::uint32_t>(std::min<std::int64_t>(rest, most));
    const double longest_ns = longest_write_ns(prober.record(), of_this);
    const auto done = prober.context().drive.write(lbn, of_this);
    rest -= of_this;
    if (rest > 0 && static_cast<double>(done.response_ns()) <= longest_ns) continue;
    prober.keep(Question::write_fill, blocks, done, lbn, of_this, true, Setup{of_this, 0, 0});
    return;
  }
}

// Runs until their lengths agree.
template <typename Run>
void repeat_runs(Prober& prober, Question question, const Run& run) {
  for (int i = 0; i < kMostRuns && !prober.spent(); ++i) {
    const auto length = run_length(prober.record(), question);
    if (length && length->runs >= kRunsThatAgree && length->error == 0) return;
    if (!run()) return;
  }
}

// Between as many large writes as were taken and one more: the number of blocks.
void test_room_for_writes(Prober& prober, const std::vector<std::uint64_t>& lbns,
                          std::uint32_t piece) {
  const Record& record = prober.record();
  const auto small = run_length(record, Question::write_run);
  const auto large = run_length(record, Question::write_run_large);
  const std::int64_t unit = prober.write_unit();
  if (!large || large->bound || piece < 2 * unit) return;
  if (!small->bound && large->median >= small->median) return;  // the segments are the limit
  const auto taken = static_cast<std::int64_t>(large->median);
  // Two of the smallest writes fit beside the first of any size.
  std::int64_t low = std::max(unit, taken > 1 ? taken * piece - unit : unit);
  std::int64_t high = (taken + 1) * piece + unit;
  if (std::cmp_greater(taken + 1, lbns.size())) return;
  int fills = 0;
  const auto takes = [&](std::int64_t blocks) {
    while (!is_taken(record, blocks) && fills < kMostFills && !prober.spent()) {
      settle(prober, static_cast<std::size_t>(taken) + 1);
      fill(prober, lbns, blocks, piece);
      ++fills;
    }
    return is_taken(record, blocks).value_or(false);
  };
  while (high - low > unit && fills < kMostFills && !prober.spent()) {
    const std::int64_t middle = low + (high - low) / (2 * unit) * unit;
    (takes(middle) ? low : high) = middle;
  }
}

// Scattered writes of one physical block each, as many as it takes until one has to wait.
void run_scattered(Prober& prober, Targets& targets) {
  const std::uint32_t unit = prober.write_unit();
  std::size_t count = kUsualTargets;
  repeat_runs(prober, Question::write_run, [&] {
    std::vector<std::uint64_t> order = targets.distinct(count);
    std::ranges::shuffle(order, prober.context().random);
    settle(prober);
    if (run_writes(prober, Question::write_run, order, unit)) {
      if (order.size() >= kMostTargets || order.size() < count) return true;
      count = std::min(kMostTargets, 4 * count);
      std::erase_if(prober.record().observations,
                    [](const Observation& seen) { return seen.question == Question::write_run; });
    }
    return true;
  });
  settle(prober);
}

// Sequential ones, more than were cached of scattered ones.
void run_sequential(Prober& prober, Targets& targets) {
  const std::uint32_t unit = prober.write_unit();
  const auto scattered = run_length(prober.record(), Question::write_run);
  if (!scattered || scattered->bound) return;
  const auto length = static_cast<std::uint32_t>(
      std::clamp(2 * scattered->median + 2, 8.0, static_cast<double>(kMostTargets)));
  repeat_runs(prober, Question::write_stream, [&] {
    // Nothing else waits meanwhile, so it may lie near anything.
    const auto lbn = targets.run_anywhere(length * unit);
    if (!lbn) return false;
    std::vector<std::uint64_t> order;
    for (std::uint32_t i = 0; i < length; ++i) order.push_back(*lbn + i * unit);
    settle(prober);
    run_writes(prober, Question::write_stream, order, unit);
    return true;
  });
}

// Large ones: is it the blocks that count?
void run_large(Prober& prober, Targets& targets) {
  const auto scattered = run_length(prober.record(), Question::write_run);
  const auto size = segment_size(prober.record());
  if (!scattered || scattered->median < 2 || !size || size->bound) return;
  const auto blocks = prober.context().drive.physical_blocks().rounded_down(
      std::min(static_cast<std::uint32_t>(std::min<double>(size->blocks, kMostOfLargeWrite)),
               prober.context().drive.most_blocks()));
  std::vector<std::uint64_t> order;
  const auto enough = std::min(kMostLarge, static_cast<std::size_t>(scattered->median) + 1);
  while (order.size() < enough) {
    const auto lbn = targets.run_of(blocks);
    if (!lbn) break;
    order.push_back(*lbn);
  }
  repeat_runs(prober, Question::write_run_large, [&] {
    settle(prober, order.size());
    return !order.empty() && (run_writes(prober, Question::write_run_large, order, blocks), true);
  });
  test_room_for_writes(prober, order, blocks);
}

// How many of scattered writes are still held when all are on the media?
void count_held(Prober& prober, Targets& targets) {
  if (judge(prober.record(), Question::read_settled, 0).verdict != Verdict::hit) return;
  const auto reads = segment_count(prober.record());
  const std::int64_t most = std::min<std::int64_t>(
      kMostTargets, reads && !reads->bound && reads->count <= kMostTargets
                        ? 2 * static_cast<std::int64_t>(reads->count) + 2
                        : static_cast<std::int64_t>(kUsualTargets));
  std::vector<std::int64_t> guesses;
  if (reads && reads->count < static_cast<double>(most))
    guesses.push_back(static_cast<std::int64_t>(reads->count));
  prober.locate(Question::written_held,
                {.from = 1,
                 .limit = most,
                 .horizon = guesses.empty() ? kFirstHeld : std::min(most, guesses[0] + 1),
                 .guesses = guesses,
                 .each = true},
                [&](std::int64_t count) -> std::optional<Prober::Prepared> {
                  const auto lbns = targets.distinct(static_cast<std::size_t>(count));
                  if (lbns.size() < static_cast<std::size_t>(count)) return std::nullopt;
                  forget_read_targets(prober);
                  prober.refresh_angle();
                  for (const std::uint64_t lbn : lbns) prober.write(lbn);
                  settle(prober);
                  return Prober::Prepared{[lbns](std::int64_t x) {
                                            return lbns[lbns.size() - static_cast<std::size_t>(x)];
                                          },
                                          0, Setup{}};
                });
}

}  // namespace

void test_write_segments(Prober& prober, Targets& targets) {
  if (writes_cached(prober.record())) {
    run_scattered(prober, targets);
    run_sequential(prober, targets);
    run_large(prober, targets);
  }
  count_held(prober, targets);
}

// Does a write take a segment from reads? All are filled, then one write, then the oldest read.
// What is replaced at random goes only when many are written, and only where they stay.
void test_separate_write_segment(Prober& prober, Targets& targets) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  if (!count || count->bound || (!count->random && (count->mixed || count->error > 0))) return;
  const auto segments = static_cast<std::int64_t>(count->count);
  std::size_t writes = 1;
  if (count->random) {
    if (judge(record, Question::read_settled, 0).verdict != Verdict::hit) return;
    writes = static_cast<std::size_t>(std::max(1.0, kTimesOver * (count->count + count->error)));
    if (targets.distinct(writes).size() < writes) return;
  }
  const bool ahead = count->settled || (count->random && newest_is_pushed_out(record));
  const std::int64_t probed = ahead ? block_ahead_that_tells(record) : 0;
  prober.decide(Question::write_displaces, segments, [&](std::int64_t x) {
    const std::vector<std::uint64_t> written = count->random
                                                   ? targets.distinct(writes)
                                                   : std::vector<std::uint64_t>{targets.next()};
    settle(prober);
    const auto read = read_scattered(prober, count->random ? 1 : x, 1,
                                     ahead ? reading_rev(prober, probed) : 0);
    if (read.empty()) return false;
    for (const std::uint64_t lbn : written) prober.write(lbn);
    settle(prober);
    prober.probe(Question::write_displaces, x, read[0] + static_cast<std::uint64_t>(probed), 0);
    return true;
  });
}

}  // namespace platter::cache_probe
