#include "cache_probe/exercise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "cache_probe/write_properties.h"

namespace platter::cache_probe {
namespace {

// Chosen: an exercise of about a second, with requests of every kind.
constexpr int kAnswers = 200, kFewestAnswers = 64;
constexpr double kLong_rev = 96;  // then kFewestAnswers are enough
constexpr int kMostPolluted = 40;
constexpr std::size_t kMostSpots = 64;
constexpr int kAtOnce = 8, kInARow = 2;  // so many behind each
constexpr int kApart = 10;               // answers
constexpr int kLoad = 80;
constexpr double kSoonShare = 0.2;     // of the answers: another read comes right before
constexpr double kAtOnceShare = 0.75;  // no rest but for the angle; else up to kMostRest_rev
constexpr double kMostRest_rev = 2.5;
constexpr double kByTurnShare = 0.5;  // of spots: as likely as any that the cache may just hold
constexpr double kOneBlockShare = 0.6;
constexpr std::uint32_t kLongestRequest = 8;
constexpr std::int64_t kAheadWithoutReach = 64;  // blocks

// Where something was read or written.
struct Spot {
  std::uint64_t first = 0, end = 0;
  std::uint32_t blocks = 1;  // of the first request
  std::uint64_t track_first = 0;
};

class Exerciser {
 public:
  Exerciser(Prober& prober, const std::vector<std::uint64_t>& targets, bool further)
      : prober_(prober), targets_(targets), random_(prober.context().random), further_(further) {}

  void run() {
    if (!targets_.empty()) settle(prober_);
    const auto count = segment_count(prober_.record());
    const int first = count ? static_cast<int>(std::min<double>(count->count, kMostPolluted)) : 8;
    // Where the number of segments follows the load, until they are as many as there are.
    const int load = adapts(prober_.record()) ? kLoad : 0;
    for (int i = 0; i < std::max(first + 2, load) && !prober_.spent(); ++i)
      elsewhere(Exercise::setup);
    spots_.clear();
    const Nanoseconds began_ns = prober_.context().drive.now_ns();
    const auto took_rev = [&] {
      return static_cast<double>(prober_.context().drive.now_ns() - began_ns) / prober_.period_ns();
    };
    turns_ = count ? static_cast<std::int64_t>(1.5 * std::min<double>(count->count, kMostSpots)) + 1
                   : 0;
    // Many in a row would be a load of their own.
    for (int i = 0; load == 0 && i < kAtOnce && !prober_.spent(); ++i) at_once();
    if (!further_ && !prober_.spent()) burst();
    for (int i = 0;
         i < kAnswers && !prober_.spent() && (i < kFewestAnswers || took_rev() < kLong_rev); ++i) {
      if (load > 0 && i % kApart == 0 && i < kAtOnce * kApart) at_once();
      if (draw(kSoonShare)) elsewhere(Exercise::setup);
      answer();
    }
  }

 private:
  bool draw(double share) { return std::uniform_real_distribution<double>(0, 1)(random_) < share; }
  std::int64_t within(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, std::max(least, most))(random_);
  }
  // Each factor of two as likely as the next.
  std::int64_t by_factors(std::int64_t most) {
    const double log = std::log(static_cast<double>(std::max<std::int64_t>(1, most)) + 1);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::exp(
                                         std::uniform_real_distribution<double>(0, log)(random_))));
  }
  std::uint32_t some_blocks() {
    return draw(kOneBlockShare) ? 1 : static_cast<std::uint32_t>(within(2, kLongestRequest));
  }

  void answer() {
    constexpr std::array kinds = {Exercise::elsewhere,   Exercise::again,  Exercise::carries_on,
                                  Exercise::ahead,       Exercise::before, Exercise::written,
                                  Exercise::read_written};
    std::discrete_distribution<std::size_t> weights({13, 33, 19, 19, 5, 6, 5});
    const Exercise kind = kinds[weights(random_)];
    if (kind == Exercise::written) return written();
    if (kind == Exercise::read_written) return near_a_spot(kind, written_);
    if (kind == Exercise::elsewhere || spots_.empty()) return elsewhere(Exercise::elsewhere);
    near_a_spot(kind, spots_);
  }

  // Its first block may just be being read.
  void at_once() {
    elsewhere(Exercise::elsewhere);
    for (int i = 0; i < kInARow && !spots_.empty(); ++i) carry_on(Exercise::at_once, spots_.back());
  }

  // More than wait in the cache: in which order they leave it shows in how long the later ones
  // take.
  void burst() {
    std::vector<std::uint64_t> order = targets_;
    std::ranges::shuffle(order, random_);
    if (!order.empty()) settle(prober_);
    for (const std::uint64_t lbn : order)
      keep(Exercise::burst, prober_.write(lbn), lbn, prober_.write_unit(), true);
  }

  void elsewhere(Exercise kind) {
    const auto place = place_for(prober_, Kind::any, reach_blocks(prober_.record()));
    if (!place) return;
    const std::uint32_t blocks = some_blocks();
    const std::int64_t room = std::int64_t{place->blocks()} - kLongestRequest;
    const std::uint64_t lbn = place->first + static_cast<std::uint64_t>(within(0, room));
    rest(kind, lbn);
    // What comes from the media for sure ties the platter's angle to the clock.
    keep(kind, prober_.read(lbn, blocks), lbn, blocks, false);
    remember(spots_, {lbn, lbn + blocks, blocks, place->first});
  }

  void near_a_spot(Exercise kind, std::deque<Spot>& spots) {
    if (spots.empty()) return;
    // The latest ones most often; or, as far back as the cache reaches, all alike: that shows whose
    // turn it is to be replaced.
    const auto held = static_cast<std::int64_t>(spots.size());
    const std::int64_t back = turns_ > 0 && draw(kByTurnShare) ? within(1, std::min(turns_, held))
                                                               : by_factors(held);
    Spot& spot = spots[spots.size() - static_cast<std::size_t>(std::min(back, held))];
    std::uint64_t lbn = spot.first;
    std::uint32_t blocks = spot.blocks;
    if (kind == Exercise::carries_on) return carry_on(kind, spot);
    if (kind == Exercise::ahead) {
      const std::int64_t reach = reach_blocks(prober_.record());
      lbn = spot.end +
            static_cast<std::uint64_t>(by_factors(reach > 0 ? 2 * reach : kAheadWithoutReach));
      blocks = some_blocks();
    } else if (kind == Exercise::before) {
      if (spot.first == spot.track_first) return;
      lbn = spot.first - static_cast<std::uint64_t>(
                             by_factors(static_cast<std::int64_t>(spot.first - spot.track_first)));
      blocks = 1;
    }
    if (lbn + blocks > prober_.context().map->blocks()) return;
    rest(kind, lbn);
    read(kind, lbn, blocks);
  }

  // One that the drive does not answer asks nothing.
  void read(Exercise kind, std::uint64_t lbn, std::uint32_t blocks) {
    constexpr int kMostUnanswered = 20;
    try {
      keep(kind, prober_.context().drive.read(lbn, blocks), lbn, blocks, false);
    } catch (const scsi::DriveError& error) {
      if (!error.may_do_elsewhere() || ++unanswered_ > kMostUnanswered) throw;
    }
  }

  void carry_on(Exercise kind, Spot& spot) {
    const std::uint32_t blocks = some_blocks();
    const std::uint64_t lbn = spot.end;
    if (lbn + blocks > prober_.context().map->blocks()) return;
    spot.end += blocks;
    if (kind != Exercise::at_once) rest(kind, lbn);
    read(kind, lbn, blocks);
  }

  void written() {
    if (targets_.empty()) return;
    const auto at =
        static_cast<std::size_t>(within(0, static_cast<std::int64_t>(targets_.size()) - 1));
    const std::uint64_t lbn = targets_[at];
    const std::uint32_t blocks =
        prober_.context().drive.physical_blocks().rounded_up(some_blocks());
    rest(Exercise::written, lbn);
    keep(Exercise::written, prober_.context().drive.write(lbn, blocks), lbn, blocks, true);
    remember(written_, {lbn, lbn + blocks, blocks, lbn});
  }

  void rest(Exercise kind, std::uint64_t lbn) {
    if (kind == Exercise::setup) return;
    const double least = draw(kAtOnceShare)
                             ? 0
                             : std::uniform_real_distribution<double>(0, kMostRest_rev)(random_);
    prober_.rest_until(lbn, least);
  }
  void keep(Exercise kind, const scsi::Completion& done, std::uint64_t lbn, std::uint32_t blocks,
            bool write) {
    prober_.keep(Question::exercise, 0, done, lbn, blocks, write);
    prober_.record().observations.back().exercise = kind;
  }
  static void remember(std::deque<Spot>& spots, const Spot& spot) {
    spots.push_back(spot);
    if (spots.size() > kMostSpots) spots.pop_front();
  }

  Prober& prober_;
  const std::vector<std::uint64_t>& targets_;
  int unanswered_ = 0;
  std::mt19937_64& random_;
  bool further_;
  std::deque<Spot> spots_, written_;
  std::int64_t turns_ = 0;  // 0: the cache's segments are not known
};

}  // namespace

const char* name_of(Exercise kind) {
  constexpr std::array<const char*, kExercises> names = {"set up",
                                                         "reads elsewhere",
                                                         "reads of the same again",
                                                         "sequential reads",
                                                         "reads further ahead",
                                                         "reads before earlier ones",
                                                         "writes",
                                                         "reads of what was written",
                                                         "sequential reads without a pause",
                                                         "writes without pause"};
  return names[static_cast<std::size_t>(kind)];
}

void exercise_cache(Prober& prober, const std::vector<std::uint64_t>& targets, bool further) {
  Exerciser(prober, targets, further).run();
}

}  // namespace platter::cache_probe
