#include "cache_probe/write_tests.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cache_probe/facts.h"
#include "cache_probe/read_tests.h"
#include "cache_probe/waiting_data.h"
#include "model/error.h"
#include "mtbrc/passages.h"

namespace platter::cache_probe {
namespace {

constexpr std::uint32_t kLeastTargetBlocks = 8;
constexpr std::size_t kUsualTargets = 12, kMostTargets = 64, kLeastTargets = 4;
constexpr std::size_t kMostLarge = 20;
constexpr std::uint32_t kMostOfLargeWrite = 1024;  // blocks
constexpr int kMostRuns = 7, kRunsThatAgree = 3, kSynchronizations = 3;
constexpr double kDestage_rev = 10;      // for written data to reach the media where nothing tells
constexpr double kDestageAll_rev = 15;   // for many, where SYNCHRONIZE CACHE does not wait
constexpr double kDestageLarge_rev = 3;  // each, of those that fill a segment
constexpr double kFirstIdle_rev = 2.5, kMostIdle_rev = 250;
constexpr double kIdleShare = 0.001, kCoarseShare = 0.03;  // how well the idle time is told
constexpr double kLongWrite_rev = 250;  // of one probe after the other; then kCoarseShare will do
constexpr double kBehind_rev = 0.3;     // the sector, when SYNCHRONIZE CACHE is sent
constexpr double kFine_rev = 0.005;     // host and sector are not in time by more
constexpr int kMostIdleProbes = 40, kMostFills = 60;
constexpr std::int64_t kFirstHeld = 5;
constexpr int kWriteTries = 2000;
constexpr double kTimesOver = 4;  // so many writes a segment leave a block in 2 % of all cases
constexpr int kWriteArrivals = 12, kArrivalsOverSlowBus = 8;  // there each takes long

bool writes_cached(const Record& record) {
  return judge(record, Question::write_isolated, 0).verdict == Verdict::hit;
}

// SYNCHRONIZE CACHE, as a probe of x; false: the drive does not know it.
bool synchronize(Prober& prober, std::optional<std::pair<Question, std::int64_t>> as = {},
                 std::uint64_t lbn = 0) {
  try {
    const scsi::Completion done = prober.context().drive.synchronize_cache();
    if (as) prober.keep(as->first, as->second, done, lbn, 0, true);
    return true;
  } catch (const scsi::WriteFailed&) {
    throw;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::drive_error && error.status() != ExitStatus::unsupported)
      throw;
    return false;
  }
}

// With its sector far ahead, so that a write which waits for it is slow.
void write_aligned(Prober& prober, std::uint64_t lbn) {
  prober.rest_until(lbn, 0);
  prober.write(lbn);
}

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

// What is written has been read before; where writes update read data that would serve reads, too.
void forget_read_targets(Prober& prober) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  if (!count || judge(record, Question::write_into, 0).verdict == Verdict::miss) return;
  if (tally_of(record, Question::write_into, 0).all() == 0) return;
  const double times = count->random ? kTimesOver : 1;
  read_scattered(prober, static_cast<std::int64_t>(times * (count->count + count->error)) + 1, 1,
                 0);
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

}  // namespace

void settle(Prober& prober, std::size_t large) {
  const double rest_rev = kDestageLarge_rev * static_cast<double>(large);
  if (!synchronize(prober))
    prober.rest_rev(std::max(kDestage_rev, rest_rev));
  else if (synchronize_lies(prober.record()))
    prober.rest_rev(std::max(kDestageAll_rev, rest_rev));
}

Targets::Targets(Prober& prober, const std::vector<LbnRange>& writable)
    : prober_(prober), writable_(writable) {
  if (writable_.empty()) return;
  if (distinct(kUsualTargets).size() < kLeastTargets) lbns_.clear();
}

std::uint32_t Targets::blocks() const {
  return std::max(kLeastTargetBlocks, 2 * prober_.write_unit());
}

// The first at or behind it at which a physical block begins.
std::uint64_t Targets::aligned(std::uint64_t lbn) const {
  const scsi::PhysicalBlocks& physical = prober_.context().drive.physical_blocks();
  const auto whole = physical.whole_within({lbn, ~std::uint64_t{0} - 1});
  return whole ? whole->first : lbn;
}

std::uint64_t Targets::random_lbn() {
  std::uint64_t total = 0;
  for (const auto& range : writable_) total += range.last - range.first + 1;
  std::uint64_t at = std::uniform_int_distribution<std::uint64_t>(
      0, total - 1)(prober_.context().random);
  for (const auto& range : writable_) {
    const std::uint64_t length = range.last - range.first + 1;
    if (at < length) return range.first + at;
    at -= length;
  }
  return writable_.back().last;
}

// Single writes lie on one track; those of several blocks in a row there, as one block always does.
bool Targets::is_for_timing(std::uint64_t lbn, std::uint32_t blocks) const {
  const engine::LayoutMap& map = *prober_.context().map;
  const std::uint64_t slot = map.slot_of_lbn(lbn);
  const engine::Track track = map.track_of_slot(slot);
  if (blocks <= this->blocks() && slot + blocks > track.first_slot + track.sectors) return false;
  const std::uint32_t unit = prober_.write_unit();
  return unit == 1 || mtbrc::run_at(map, slot, unit) == std::optional(lbn);
}

// Near the last one if there is room, behind what is read ahead of it.
std::optional<std::uint64_t> Targets::place(std::uint32_t blocks) {
  const engine::LayoutMap& map = *prober_.context().map;
  scsi::Drive& drive = prober_.context().drive;
  const std::uint64_t step = 2 * std::uint64_t{prober_.places().track_blocks()} +
                             static_cast<std::uint64_t>(reach_blocks(prober_.record())) + blocks;
  for (int i = 0; i < kWriteTries; ++i) {
    std::uint64_t lbn = random_lbn();
    if (i == 0 && !lbns_.empty()) lbn = last_ + step + random_lbn() % step;
    lbn = aligned(lbn);
    if (lbn + blocks > map.blocks() || !drive.may_write(lbn, blocks)) continue;
    if (!is_for_timing(lbn, blocks)) continue;
    const auto near = [&](std::uint64_t other) { return lbn < other + step && other < lbn + step; };
    if (std::ranges::any_of(lbns_, near)) continue;
    drive.learn_contents(lbn, blocks);
    last_ = lbn;
    return lbn;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> Targets::distinct(std::size_t count) {
  while (lbns_.size() < count) {
    const auto lbn = place(blocks());
    if (!lbn) break;
    lbns_.push_back(*lbn);
  }
  return {lbns_.begin(),
          lbns_.begin() + static_cast<std::ptrdiff_t>(std::min(count, lbns_.size()))};
}

std::optional<std::uint64_t> Targets::run_of(std::uint32_t blocks) { return place(blocks); }

void test_write_back(Prober& prober, Targets& targets) {
  prober.decide(Question::write_isolated, 0, [&](std::int64_t x) {
    const std::uint64_t lbn = targets.next();
    settle(prober);
    prober.refresh_angle();
    prober.rest_until(lbn, 0);
    prober.probe_write(Question::write_isolated, x, lbn);
    return true;
  });
  if (!writes_cached(prober.record())) {
    // Only what carries on the write before? On the media the next block has just gone by.
    prober.decide(Question::write_appended, 0, [&](std::int64_t x) {
      const std::uint64_t lbn = targets.next();
      synchronize(prober);
      prober.refresh_angle();
      prober.write(lbn);
      prober.probe_write(Question::write_appended, x, lbn + prober.write_unit());
      return true;
    });
  }
  const bool cached = writes_cached(prober.record());
  if (synchronize(prober)) {
    prober.rest_rev(cached ? kDestage_rev : 1);
    for (int i = 0; i < kSynchronizations; ++i)
      synchronize(prober, std::pair{Question::synchronize, 0});
    for (int i = 0; cached && i < kSynchronizations; ++i) {
      const std::uint64_t lbn = targets.next();
      prober.refresh_angle();
      write_aligned(prober, lbn);
      synchronize(prober, std::pair{Question::synchronize, 1}, lbn);
    }
  }
  if (!cached) return;
  // FUA alone tells, where the drive does not know SYNCHRONIZE CACHE.
  prober.decide(Question::write_forced, 1, [&](std::int64_t x) {
    const std::uint64_t lbn = targets.next();
    settle(prober);
    prober.refresh_angle();
    prober.rest_until(lbn, 0);
    try {
      const std::uint32_t unit = prober.write_unit();
      prober.keep(Question::write_forced, x, prober.context().drive.write(lbn, unit, true), lbn,
                  unit, true);
    } catch (const scsi::DriveError& error) {
      if (!error.refused()) throw;
      return false;  // there is no such write to ask about
    }
    return true;
  });
}

void test_reads_of_written(Prober& prober, Targets& targets) {
  // Read data that a write overwrites in part: is the rest of their segment kept?
  if (retained(prober.record()))
    prober.decide(Question::write_into, 0, [&](std::int64_t x) {
      const std::uint64_t lbn = targets.next();
      prober.refresh_angle();
      prober.read(lbn, targets.blocks());
      prober.write(lbn + targets.blocks() / 2);
      settle(prober);
      prober.probe(Question::write_into, x, lbn + 1, 0);
      return true;
    });
  for (const std::int64_t later : {0, 1}) {
    prober.decide(Question::read_written, later, [&](std::int64_t x) {
      const std::uint64_t lbn = targets.next();
      forget_read_targets(prober);
      settle(prober);
      prober.refresh_angle();
      prober.write(lbn);
      if (x == 1) {
        settle(prober);
        prober.probe(Question::read_written, x, lbn, 0);
      } else {
        prober.probe_now(Question::read_written, x, lbn);
      }
      return true;
    });
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

void test_write_segments(Prober& prober, Targets& targets) {
  const std::uint32_t unit = prober.write_unit();
  if (writes_cached(prober.record())) {
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
    const auto scattered = run_length(prober.record(), Question::write_run);
    if (scattered && !scattered->bound) {
      const auto length = static_cast<std::uint32_t>(
          std::clamp(2 * scattered->median + 2, 8.0, static_cast<double>(kMostTargets)));
      repeat_runs(prober, Question::write_stream, [&] {
        const auto lbn = targets.run_of(length * unit);
        if (!lbn) return false;
        std::vector<std::uint64_t> order;
        for (std::uint32_t i = 0; i < length; ++i) order.push_back(*lbn + i * unit);
        settle(prober);
        run_writes(prober, Question::write_stream, order, unit);
        return true;
      });
    }
    // The same with large ones: is it the blocks that count?
    const auto size = segment_size(prober.record());
    if (scattered && scattered->median >= 2 && size && !size->bound) {
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
        return !order.empty() &&
               (run_writes(prober, Question::write_run_large, order, blocks), true);
      });
      test_room_for_writes(prober, order, blocks);
    }
  }
  // How many of scattered writes are still held when all are on the media?
  if (judge(prober.record(), Question::read_written, 1).verdict == Verdict::hit) {
    const auto reads = segment_count(prober.record());
    const std::int64_t most = std::min<std::int64_t>(
        kMostTargets, reads && !reads->bound && reads->count <= kMostTargets
                          ? 2 * static_cast<std::int64_t>(reads->count) + 2
                          : static_cast<std::int64_t>(kUsualTargets));
    std::vector<std::int64_t> guesses;
    if (reads && reads->count < static_cast<double>(most))
      guesses.push_back(static_cast<std::int64_t>(reads->count));
    prober.locate(
        Question::written_held,
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
          return Prober::Prepared{
              [lbns](std::int64_t x) { return lbns[lbns.size() - static_cast<std::size_t>(x)]; }, 0,
              Setup{}};
        });
  }
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
    if (judge(record, Question::read_written, 1).verdict != Verdict::hit) return;
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

// For how long do written data wait where no command comes? Their sector comes by when the time is
// over, or just before.
void test_destage(Prober& prober, Targets& targets) {
  Record& record = prober.record();
  if (!writes_cached(record) || written_persist(record) != Verdict::miss) return;
  if (!synchronize_ns(record)) return;  // nothing else tells when data are on the media
  const std::uint64_t lbn = targets.next();
  const auto began_ns = prober.context().drive.now_ns();
  const auto is_destaged = [&](double idle_rev) {
    // The arm stays on the track: the same block again.
    prober.refresh_angle();
    prober.write(lbn);
    synchronize(prober);
    // The time counts from when the write is through.
    const double until_sector_rev = idle_rev + usual_write_ns(record) / prober.period_ns();
    const double ahead_rev = until_sector_rev - std::floor(until_sector_rev);
    prober.rest_until(lbn, 0, ahead_rev, ahead_rev);
    prober.write(lbn);
    const Nanoseconds written_ns = prober.context().drive.now_ns();
    double until_rev = prober.angle_rev(lbn) - prober.angle_now_rev();
    until_rev += std::round(idle_rev - until_rev);
    if (!record.setting.angles_trusted) until_rev = idle_rev;
    prober.rest_rev(std::max(0.0, until_rev) + kBehind_rev);
    const std::int64_t x = (prober.context().drive.now_ns() - written_ns) / 1000;
    synchronize(prober, std::pair{Question::destaged, x}, lbn);
    return !synchronize_waited(record, record.observations.back());
  };
  double low = 0, high = kFirstIdle_rev;
  while (!is_destaged(high)) {
    low = high;
    if (high >= kMostIdle_rev || prober.spent()) return;
    high = std::min(kMostIdle_rev, 4 * high);
  }
  if (low == 0) {
    is_destaged(high);
    return;
  }
  for (int i = 0; i < kMostIdleProbes && !prober.spent(); ++i) {
    double next = std::sqrt(low * high);
    if (const auto told = idle_before_destage(record)) {
      const bool late = static_cast<double>(prober.context().drive.now_ns() - began_ns) >
                        kLongWrite_rev * prober.period_ns();
      const double enough_ns = std::max(kFine_rev * prober.period_ns(), kIdleShare * told->ns);
      if (told->narrow_ns < (late ? kCoarseShare * told->ns : enough_ns)) return;
      next = told->passed_ns / prober.period_ns();
    } else if (high < 1.02 * low) {
      return;
    }
    (is_destaged(next) ? high : low) = next;
  }
}

std::optional<Place> track_to_write(Prober& prober, const std::vector<LbnRange>& writable) {
  auto& random = prober.context().random;
  std::uniform_int_distribution<std::size_t> any_range(0, writable.size() - 1);
  for (int i = 0; i < kWriteTries; ++i) {
    const LbnRange& range = writable[any_range(random)];
    std::uniform_int_distribution<std::uint64_t> any(range.first, range.last);
    auto found = prober.places().place_of_lbn(any(random));
    if (!found || found->first < found->blocks() || !prober.places().clean(*found)) continue;
    const scsi::Drive& drive = prober.context().drive;
    const auto whole = drive.physical_blocks().whole_within({found->first, found->last});
    if (!whole) continue;
    found->first = whole->first;
    found->last = whole->last;
    if (drive.may_write(found->first, found->blocks())) return found;
  }
  return std::nullopt;
}

void come_to(Prober& prober, const Place& track, double ahead_rev) {
  prober.refresh_angle();
  std::uniform_int_distribution<std::uint64_t> back(1, track.blocks());
  prober.context().drive.read(track.first - back(prober.context().random), 1, true);
  prober.rest_until(track.first, until_free_rev(prober), ahead_rev, ahead_rev);
}

void test_zero_latency_write(Prober& prober, const std::vector<LbnRange>& writable) {
  const Record& record = prober.record();
  scsi::Drive& drive = prober.context().drive;
  const auto place = track_to_write(prober, writable);
  if (!place) return;
  const auto size = segment_size(record);
  std::uint32_t blocks = std::min(place->blocks(), drive.most_blocks());
  if (size && size->blocks < blocks) blocks = static_cast<std::uint32_t>(size->blocks);
  if (blocks < 4) return;
  if (!bus_hides_arrival(record, blocks))
    blocks = std::min(place->blocks(), blocks_that_tell(prober, blocks));
  blocks = drive.physical_blocks().rounded_down(blocks);
  if (blocks == 0) return;
  drive.learn_contents(place->first, blocks);
  const bool cached = writes_cached(record);
  const bool forced = cached && judge(record, Question::write_forced, 1).verdict == Verdict::miss;
  // Nothing tells when the data are on the media.
  if (cached && !forced && !synchronize(prober)) return;
  sample_arrival(
      prober, Question::whole_track_write, blocks,
      [&](double ahead_rev) {
        come_to(prober, *place, ahead_rev);
        const double phase = prober.angle_now_rev() - prober.angle_rev(place->first);
        // FUA where it waits for the media, else what SYNCHRONIZE CACHE waits for.
        auto done = drive.write(place->first, blocks, forced);
        if (cached && !forced) done.completed_ns = drive.synchronize_cache().completed_ns;
        prober.keep(Question::whole_track_write, place->track.sectors, done, place->first, blocks,
                    true, Setup{blocks, 0, 0}, phase - std::floor(phase));
        return true;
      },
      bus_hides_arrival(record, blocks) ? kArrivalsOverSlowBus : kWriteArrivals);
}

}  // namespace platter::cache_probe
