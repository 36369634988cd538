#include "cache_probe/write_tests.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cache_probe/facts.h"
#include "cache_probe/read_tests.h"

namespace platter::cache_probe {
namespace {

constexpr std::uint32_t kTargetBlocks = 8;
constexpr std::size_t kMostTargets = 40, kLeastTargets = 4;
constexpr int kRuns = 7;
constexpr double kDestage_rev = 10;      // time for one write to reach the media
constexpr double kDestageAll_rev = 100;  // for all that a run of writes left
constexpr int kArrivalSamples = 20;
constexpr int kTries = 2000;

std::uint64_t random_lbn(Prober& prober, const std::vector<LbnRange>& ranges) {
  std::uint64_t total = 0;
  for (const auto& range : ranges) total += range.last - range.first + 1;
  std::uint64_t at =
      std::uniform_int_distribution<std::uint64_t>(0, total - 1)(prober.context().random);
  for (const auto& range : ranges) {
    const std::uint64_t length = range.last - range.first + 1;
    if (at < length) return range.first + at;
    at -= length;
  }
  return ranges.back().last;
}

// The target for one trial after another; each is used again only after all the others.
class Turns {
 public:
  explicit Turns(const std::vector<std::uint64_t>& targets) : targets_(targets) {}
  std::uint64_t next() { return targets_[turn_++ % targets_.size()]; }

 private:
  const std::vector<std::uint64_t>& targets_;
  std::size_t turn_ = 0;
};

bool writes_cached(const Record& record) {
  return judge(record, Question::write_isolated, 0).verdict == Verdict::hit;
}

// So that nothing of the targets is left from learning their contents or from earlier trials.
void forget(Prober& prober, double destage_rev = kDestage_rev) {
  const auto count = segment_count(prober.record());
  prober.rest_rev(destage_rev);
  prober.pollute(count ? static_cast<int>(std::min(count->count, 64.0)) + 2 : 8);
}

}  // namespace

std::vector<std::uint64_t> write_targets(Prober& prober,
                                         const std::vector<LbnRange>& writable) {
  const engine::LayoutMap& map = *prober.context().map;
  scsi::Drive& drive = prober.context().drive;
  std::vector<std::uint64_t> targets;
  if (writable.empty()) return targets;
  std::set<std::uint64_t> tracks;
  for (int i = 0; i < kTries && targets.size() < kMostTargets; ++i) {
    const std::uint64_t lbn = random_lbn(prober, writable);
    if (lbn + kTargetBlocks > map.blocks() || !drive.may_write(lbn, kTargetBlocks)) continue;
    const std::uint64_t slot = map.slot_of_lbn(lbn);
    const engine::Track track = map.track_of_slot(slot);
    if (slot + kTargetBlocks > track.first_slot + track.sectors) continue;
    if (!tracks.insert(track.first_slot).second) continue;
    drive.learn_contents(lbn, kTargetBlocks);
    targets.push_back(lbn);
  }
  if (targets.size() < kLeastTargets) targets.clear();
  return targets;
}

void test_write_back(Prober& prober, const std::vector<std::uint64_t>& targets) {
  Turns turns(targets);
  forget(prober);
  prober.decide(Question::write_isolated, 0, [&](std::int64_t x) {
    const std::uint64_t lbn = turns.next();
    prober.rest_rev(kDestage_rev);
    prober.pollute(1);
    prober.rest_until(lbn, 0);
    prober.probe_write(Question::write_isolated, x, lbn);
    return true;
  });
  if (writes_cached(prober.record())) return;
  // Only what carries on the write before? On the media the next block has just gone by.
  prober.decide(Question::write_appended, 0, [&](std::int64_t x) {
    const std::uint64_t lbn = turns.next();
    prober.rest_rev(kDestage_rev);
    prober.pollute(1);
    prober.context().drive.write(lbn, 1);
    prober.probe_write(Question::write_appended, x, lbn + 1);
    return true;
  });
}

void test_reads_of_written(Prober& prober, const std::vector<std::uint64_t>& targets) {
  Turns turns(targets);
  for (const std::int64_t later : {0, 1}) {
    prober.decide(Question::read_written, later, [&](std::int64_t x) {
      const std::uint64_t lbn = turns.next();
      forget(prober);
      prober.context().drive.write(lbn, 1);
      if (x == 1) {
        prober.probe(Question::read_written, x, lbn, kDestage_rev);
      } else {
        prober.probe_now(Question::read_written, x, lbn);
      }
      return true;
    });
  }
}

void test_write_segments(Prober& prober, const std::vector<std::uint64_t>& targets) {
  if (writes_cached(prober.record())) {
    for (int run = 0; run < kRuns && !prober.spent(); ++run) {
      std::vector<std::uint64_t> order = targets;
      std::ranges::shuffle(order, prober.context().random);
      forget(prober, kDestageAll_rev);
      for (std::size_t i = 0; i < order.size(); ++i) {
        prober.probe_write(Question::write_run, static_cast<std::int64_t>(i + 1), order[i]);
        if (!is_fast(prober.record().observations.back(), prober.period_ns())) break;
      }
    }
    Turns turns(targets);
    for (int run = 0; run < kRuns && !prober.spent(); ++run) {
      const std::uint64_t lbn = turns.next();
      prober.rest_rev(kDestage_rev);
      prober.pollute(1);
      for (std::uint32_t i = 0; i < kTargetBlocks; ++i) {
        prober.probe_write(Question::write_stream, i + 1, lbn + i);
        if (!is_fast(prober.record().observations.back(), prober.period_ns())) break;
      }
    }
  }
  // Does a write take a segment from reads? All are filled, then one write, then the oldest read.
  const auto count = segment_count(prober.record());
  if (!count || count->settled || count->random || count->mixed || count->bound) return;
  Turns turns(targets);
  prober.decide(Question::write_displaces, static_cast<std::int64_t>(count->count),
                [&](std::int64_t x) {
                  prober.rest_rev(kDestage_rev);
                  const auto first = read_scattered(prober, x, 1, 0);
                  if (!first) return false;
                  prober.context().drive.write(turns.next(), 1);
                  prober.probe(Question::write_displaces, x, *first, kDestage_rev);
                  return true;
                });
}

void test_zero_latency_write(Prober& prober, const std::vector<LbnRange>& writable) {
  const Record& record = prober.record();
  scsi::Drive& drive = prober.context().drive;
  std::optional<Place> place;
  for (int i = 0; i < kTries && !place; ++i) {
    place = prober.places().place_of_lbn(random_lbn(prober, writable));
    if (place &&
        (place->first < place->blocks() || !drive.may_write(place->first, place->blocks())))
      place.reset();
  }
  if (!place) return;
  const auto size = segment_size(record);
  std::uint32_t blocks = place->blocks();
  if (size && size->blocks < blocks) blocks = static_cast<std::uint32_t>(size->blocks);
  if (blocks < 4) return;
  drive.learn_contents(place->first, blocks);
  const bool cached = writes_cached(record);
  for (int i = 0; i < kArrivalSamples && !prober.spent(); ++i) {
    prober.rest_rev(kDestage_rev);
    prober.pollute(1);
    // The arm comes from near by, so that its way takes the same time each time.
    std::uniform_int_distribution<std::uint64_t> back(1, place->blocks());
    drive.read(place->first - back(prober.context().random), 1, true);
    prober.rest_until(place->first, 0, (i + 0.5) / kArrivalSamples);
    const double phase = prober.angle_now_rev() - prober.angle_rev(place->first);
    auto done = drive.write(place->first, blocks);
    if (cached) done.completed_ns = drive.synchronize_cache().completed_ns;
    prober.keep(Question::whole_track_write, place->track.sectors, done, place->first, blocks, true,
                Setup{blocks, 0, 0}, phase - std::floor(phase));
  }
}

}  // namespace platter::cache_probe
