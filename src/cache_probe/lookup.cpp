#include "cache_probe/lookup.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "cache_probe/facts.h"
#include "cache_probe/read_setups.h"
#include "cache_probe/responses.h"

namespace platter::cache_probe {
namespace {

// Chosen: a staircase (Levitt 1971, up-down method) of some thirty pairs, steps from a fifth of a
// hit to a fiftieth.
constexpr int kPairs = 28, kAtTrackEnd = 6, kPairsOfUsual = 16, kPairsOfShort = 13;
constexpr double kOfInnermost = 0.9, kShorter = 0.85;  // of the drive's blocks; of the usual track
constexpr double kReached_rev = 0.35;                  // after a short way
constexpr int kPlaceTries = 40, kMostTracksOn = 6;
constexpr double kMostLate_rev = 0.1;
constexpr int kMostAtLimit = 4;                        // of the pairs: there is no edge
constexpr double kFirstStep = 0.2, kLeastStep = 0.02;  // hits
constexpr int kMoreBlocks = 2;
constexpr double kLeastOfHit = 0.3, kMostOfHit = 0.8;  // the heads are so near, in times of a hit

// The read in front, then one that asks for `block` so long before it can have been sent as fast as
// the first one was.
bool ask(Prober& prober, std::uint64_t front, std::uint64_t block, double apart_ns,
         double early_ns) {
  const scsi::Completion done = prober.read(front);
  prober.keep(Question::lookup_first, 0, done, front, 1, false);
  scsi::Drive& drive = prober.context().drive;
  const auto wait_ns = static_cast<double>(done.completed_ns - drive.now_ns()) + apart_ns -
                       early_ns;
  if (wait_ns > 0) drive.rest_ns(static_cast<Nanoseconds>(wait_ns));
  prober.probe_now(Question::lookup, 0, block);
  const auto response = static_cast<double>(prober.record().observations.back().response_ns());
  return response < kCaught_rev * prober.period_ns();
}

// The first anywhere, the next ones near by, so that the arm is there soon.
std::optional<Place> next_place(Prober& prober, const std::optional<Place>& before, Kind kind) {
  const std::int64_t span = reach_blocks(prober.record());
  if (!before) return place_for(prober, kind, span);
  auto place = prober.places().fresh_near(before->last, static_cast<std::uint64_t>(span));
  if (place && kind == Kind::before_end && place->ends_cylinder)
    return place_for(prober, kind, span);
  return place;
}

using NextPlace = std::function<std::optional<Place>(const std::optional<Place>& before)>;

// Where tracks are short a block takes longer to pass. Each some tracks behind the one before.
std::optional<Place> place_on_short_track(Prober& prober, const std::optional<Place>& before) {
  const engine::LayoutMap& map = *prober.context().map;
  const auto first = static_cast<std::uint64_t>(kOfInnermost * static_cast<double>(map.blocks()));
  std::uint64_t lbn = before ? before->last : first;
  for (int i = 0; i < kPlaceTries; ++i) {
    lbn += std::uniform_int_distribution<std::uint64_t>(
        1, kMostTracksOn * prober.places().track_blocks())(prober.context().random);
    if (lbn >= map.blocks()) return std::nullopt;
    const auto place = prober.places().place_of_lbn(lbn);
    if (before && place && place->first <= before->last) continue;
    if (!place || place->blocks() > kShorter * prober.places().track_blocks()) continue;
    if (map.slot_of_lbn(place->last) - map.slot_of_lbn(place->first) != place->last - place->first)
      continue;
    if (!prober.context().drive.leaves_out(place->first, place->blocks())) return place;
  }
  return std::nullopt;
}

// The block that the heads reach soon after the arm, with so many more behind it on the track.
std::uint64_t soon_on(const Prober& prober, const Place& place, std::uint32_t more) {
  double ahead_rev = prober.angle_now_rev() + kReached_rev - prober.angle_rev(place.first);
  ahead_rev -= std::floor(ahead_rev);
  const auto block = static_cast<std::uint32_t>(ahead_rev * place.track.sectors);
  return place.first + std::min(block, place.blocks() - 1 - more);
}

// Up and down about the edge (a staircase). A command that comes a hit's time before the block has
// been decoded when the block passes, and catches it without the cache: no farther. Returns where
// it is.
double ask_within_track(Prober& prober, int pairs, const NextPlace& next, double early_ns = 0) {
  const double hit_ns = Responses(prober.record()).hit_rev() * prober.period_ns();
  double step = kFirstStep;
  bool caught_before = false;
  int at_limit = 0;
  std::optional<Place> place;
  for (int i = 0; i < pairs && at_limit < kMostAtLimit && !prober.spent(); ++i) {
    place = next(place);
    if (!place) break;
    const double sector_ns = prober.period_ns() / place->track.sectors;
    const auto least = 1 + static_cast<int>(std::ceil(std::max(0.0, early_ns) / sector_ns));
    const int apart = std::uniform_int_distribution<int>(
        least, least + kMoreBlocks)(prober.context().random);
    if (static_cast<std::uint32_t>(apart) + 1 >= place->blocks()) break;
    const std::uint64_t front = soon_on(prober, *place, static_cast<std::uint32_t>(apart));
    const bool caught = ask(prober, front, front + static_cast<std::uint64_t>(apart),
                            apart * sector_ns, early_ns);
    if (i > 0 && caught != caught_before) step = std::max(kLeastStep, step / 2);
    caught_before = caught;
    const double latest_ns = -kMostLate_rev * prober.period_ns();
    early_ns = std::clamp(early_ns + (caught ? step : -step) * hit_ns, latest_ns, hit_ns);
    at_limit += early_ns >= hit_ns || early_ns <= latest_ns;
  }
  return early_ns;
}

// While the heads go from one track to the next, no block is being read.
void ask_behind_track(Prober& prober) {
  const engine::LayoutMap& map = *prober.context().map;
  const double hit_ns = Responses(prober.record()).hit_rev() * prober.period_ns();
  std::optional<Place> place;
  for (int i = 0; i < kAtTrackEnd && !prober.spent(); ++i) {
    place = next_place(prober, place, Kind::before_end);
    if (!place || place->last + 1 >= map.blocks()) return;
    const std::uint64_t front = place->last, block = front + 1;
    const double sector_rev = 1.0 / map.track_of_slot(map.slot_of_lbn(block)).sectors;
    double apart_rev = prober.angle_rev(block) + sector_rev - prober.angle_rev(front) -
                       1.0 / place->track.sectors;
    apart_rev -= std::floor(apart_rev);
    const double share = std::uniform_real_distribution<double>(
        kLeastOfHit, kMostOfHit)(prober.context().random);
    ask(prober, front, block, apart_rev * prober.period_ns(),
        share * hit_ns + sector_rev * prober.period_ns());
  }
}

}  // namespace

std::vector<LookupPair> lookup_pairs(const Record& record) {
  std::vector<LookupPair> pairs;
  const Observation* before = nullptr;
  for (const Observation& seen : record.observations) {
    if (seen.question == Question::lookup && before) pairs.push_back({before, &seen});
    if (seen.question == Question::lookup) before = nullptr;
    if (seen.question == Question::lookup_first) before = &seen;
  }
  return pairs;
}

void test_lookup(Prober& prober) {
  const Record& record = prober.record();
  // Where the next command waits for all of read-ahead it finds its block whenever it comes.
  if (!record.setting.angles_trusted || !reads_ahead(record) || after_sequential(record)) return;
  if (const auto cut = cut_short(record); cut && (cut->all || cut->least_blocks > 0)) return;
  const NextPlace usual = [&](const auto& before) { return next_place(prober, before, Kind::any); };
  // Whether a block counts as held while it is being read shifts the edge by a block: it takes
  // blocks of two lengths to tell that from a delay, or a place where none is being read.
  if (judge(record, Question::cross_track, 0).verdict == Verdict::hit) {
    ask_within_track(prober, kPairs, usual);
    ask_behind_track(prober);
  } else {
    const double edge_ns = ask_within_track(prober, kPairsOfUsual, usual);
    ask_within_track(
        prober, kPairsOfShort,
        [&](const auto& before) { return place_on_short_track(prober, before); }, edge_ns);
  }
}

}  // namespace platter::cache_probe
