// After how many requests the buffer is divided anew. Every request counts. A stream, until few
// long segments are left; then many blocks at once, which only such a segment holds, and single
// ones of them, each of which begins a stream of its own and is a hit: until the new division,
// which begins empty. At which request that is, for one change of the load after another, tells.
// Requests whose number was foretold tell most: where a change is to fall in its window is chosen
// by what is likeliest so far.
#include <algorithm>
#include <cmath>

#include "cache_probe/division.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds. More
// changes of load cost more time.
constexpr std::int64_t kShortest = 64;  // reads of a stream, to begin with
constexpr std::int64_t kLongest = 2 * kMostWindow;
constexpr int kMostChanges = 24, kMostInVain = 2;
constexpr double kMostAllOver = 64;  // blocks
constexpr int kDraws = 16;           // blocks, of which the one that is farthest ahead is read
constexpr double kAhead_rev = 0.6, kWithin_rev = 0.35;  // of the heads, so that a miss shows
constexpr double kArrival_rev = 0.1;
constexpr double kTieShare = 1e-5;
constexpr std::int64_t kTies = 100;

class Divider {
 public:
  Divider(Prober& prober, std::int64_t blocks)
      : prober_(prober), responses_(prober.record()), blocks_(blocks) {}

  void run() {
    int in_vain = 0;
    for (int i = 0; i < kMostChanges && in_vain < kMostInVain && !prober_.spent(); ++i) {
      const Divisions so_far = divisions_of(load_changes(prober_.record()));
      if (so_far.proven()) return;
      const bool foretold = so_far.changes > 1 &&
                            so_far.likeliest().trigger == Division::Trigger::window;
      switch (change_load(foretold ? telling(so_far.likely) : stream_ + draw(stream_))) {
        case Outcome::no_place:
          return;
        case Outcome::not_long_enough:
          if (stream_ >= kLongest) ++in_vain;
          stream_ = std::min(kLongest, 2 * stream_);
          break;
        case Outcome::not_divided:
          ++in_vain;
          break;
        case Outcome::divided:
          break;
      }
    }
  }

 private:
  enum class Outcome { divided, not_divided, not_long_enough, no_place };

  std::int64_t draw(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(prober_.context().random);
  }

  // A stream that fills a window of the likeliest, and goes on until a change of load is followed
  // by a division where the others do not have one.
  std::int64_t telling(const std::vector<Division>& likely) {
    const Division& best = likely.front();
    const std::int64_t least = std::max(2 * best.requests, stream_);
    std::int64_t reads = least;
    double confused = 2;
    for (std::int64_t more = 0; more < best.requests; ++more) {
      const std::int64_t from = reads_ + least + more + 1;
      double as_well = kTieShare * static_cast<double>(draw(kTies));
      for (const Division& other : likely)
        if (&other != &best) as_well += other.share * alike(best, other, from);
      if (as_well >= confused) continue;
      confused = as_well;
      reads = least + more;
    }
    return reads;
  }

  scsi::Completion read(std::uint64_t lbn, std::uint32_t blocks) {
    ++reads_;
    return prober_.context().drive.read(lbn, blocks);
  }

  Outcome change_load(std::int64_t stream) {
    const scsi::Drive& drive = prober_.context().drive;
    const std::uint64_t before = drive.commands();
    const auto place = clean_place_for(prober_, Kind::any, stream);
    const auto other = place_for_large(prober_, blocks_, reach_blocks(prober_.record()));
    if (!place || !other) return Outcome::no_place;
    reads_ += 1 + static_cast<std::int64_t>(drive.commands() - before);
    prober_.read(place->first);  // from the media: the platter's angle
    read_stream(prober_, place->first + 1, stream - 1,
                [&](std::uint64_t lbn, std::uint32_t blocks) { read(lbn, blocks); });
    read(other->lbn, static_cast<std::uint32_t>(blocks_));
    const std::int64_t pushed = read_behind(prober_.record(), other->setup.to_track_end,
                                            other->setup.to_cylinder_end);
    const std::int64_t from = reads_;
    const std::uint64_t held = other->lbn + static_cast<std::uint64_t>(pushed);
    prober_.rest_until(held, pushed > 0 ? reading_rev(prober_, pushed) : 0);
    ++reads_;
    prober_.probe_now(Question::load_changed, from, held);
    if (late(prober_.record().observations.back())) return Outcome::not_long_enough;
    // Twice as many as it takes to fill a window that is not longer than the stream.
    for (const std::int64_t most = from + 2 * stream; reads_ < most && !prober_.spent();) {
      const std::uint64_t lbn = farthest_ahead(held, blocks_ / 3, blocks_);
      const Observation seen = look(lbn, reads_ + 1, 0);
      const bool last = reads_ == most;
      if (late(seen) || last) prober_.record().observations.push_back(seen);
      if (!late(seen)) continue;
      // Was it divided, or is this one late? Another of the same, that it has not brought along.
      const auto track = static_cast<double>(prober_.places().track_blocks());
      const auto passed = static_cast<std::int64_t>(track * (seen.ahead_rev + kArrival_rev));
      const auto at = static_cast<std::int64_t>(lbn - held);
      const std::int64_t end = at - passed > 2 ? at - passed : at;
      prober_.record().observations.push_back(look(farthest_ahead(held, 0, end), seen.x, 1));
      if (late(prober_.record().observations.back())) return Outcome::divided;
    }
    return Outcome::not_divided;
  }

  Observation look(std::uint64_t lbn, std::int64_t x, std::uint32_t nth) {
    return prober_.observed(Question::divided, x, read(lbn, 1), lbn, 1, false, {}, 0, nth);
  }
  bool late(const Observation& seen) const { return !responses_.is_fast(seen); }

  // Of some of these blocks one that a miss would have to wait long for. Even ones alone: none
  // carries on from another.
  std::uint64_t farthest_ahead(std::uint64_t first, std::int64_t from, std::int64_t end) {
    std::uint64_t best = first;
    double best_off = 2;
    for (;;) {
      for (int i = 0; i < kDraws; ++i) {
        const std::int64_t at = (from + 1) / 2 + draw(std::max<std::int64_t>(1, (end - from) / 2));
        const std::uint64_t lbn = first + 2 * static_cast<std::uint64_t>(at);
        const double ahead = prober_.angle_rev(lbn) - prober_.angle_now_rev();
        const double off = std::abs(ahead - std::floor(ahead) - kAhead_rev);
        if (off < best_off) best = lbn;
        best_off = std::min(best_off, off);
      }
      if (best_off < kWithin_rev) break;
      prober_.rest_rev(kWithin_rev);
      best_off = 2;
    }
    return best;
  }

  Prober& prober_;
  Responses responses_;
  std::int64_t blocks_;
  std::int64_t stream_ = kShortest, reads_ = 0;
};

}  // namespace

void test_division(Prober& prober, std::int64_t blocks) { Divider(prober, blocks).run(); }

void read_all_over(Prober& prober, std::int64_t reads) {
  const auto size = segment_size(prober.record());
  const auto blocks = static_cast<std::int64_t>(size ? std::min(size->blocks, kMostAllOver) : 1);
  const auto place = place_for(prober, Kind::any, blocks);
  if (!place) return;
  prober.read(place->first, static_cast<std::uint32_t>(blocks));
  for (std::int64_t i = 0; i < reads; ++i)
    prober.context().drive.read(place->first + static_cast<std::uint64_t>(2 * i % blocks), 1);
}

}  // namespace platter::cache_probe
