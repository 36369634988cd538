#include "estimate/write_settle.h"

#include <fmt/format.h>

#include <cmath>

#include "model/parameters.h"
#include "statistics/threshold_by_place.h"

namespace platter::estimate {
namespace {

// The seek to the next cylinder, for reads.
model::Parameter shortest_seek(const ReadTimes& reads) {
  if (!reads.still) return model::absent(reads.same_track.reason, "ms");
  const auto mtbrc = reads.of(reads.mtbrcs, 1);
  if (!mtbrc) return model::absent("too few seeks to the next cylinder could be timed", "ms");
  return in_ms(borne_out_move(reads, *mtbrc, reads.of(reads.commands, 1)),
               "MTBRC to the next cylinder, less MTBRC on one track");
}

// Of writes that follow writes, or reads: where they move over heads or cylinders, and what that
// exceeds an access on the same track by.
struct SettleTrials {
  std::optional<statistics::Estimate> moved, same;
  double period_ns = 0;

  bool known() const { return moved && same; }
  double more_ns() const { return moved->value - same->value; }
  // A write's data come over the bus meanwhile: a move that is shorter shows nothing.
  bool hidden() const {
    constexpr double kShows_ns = 30e3, kSigmas = 2;
    return known() && more_ns() < kShows_ns + kSigmas * std::hypot(moved->error, same->error);
  }
};

SettleTrials settle_trials(const Evidence& evidence, const SameTrack& same_track,
                           const ReadTimes& reads, Over over, bool after_write) {
  SettleTrials result;
  result.period_ns = evidence.period_ns();
  const std::size_t ways = ways_of(reads, over);
  for (std::size_t way = 0; way < ways; ++way) {
    // Arms settle longer at one place than at another.
    const Moves seen = moves_of(evidence, over, true, after_write, way, ways);
    const auto found = estimate_of(
        statistics::fit_threshold_by_place(seen.trials, seen.cylinders, reads.trial),
        result.period_ns);
    if (!found) return result;
    result.moved = result.moved ? statistics::midpoint(*result.moved, *found) : *found;
  }
  const model::Parameter same = same_track.of(true, after_write);
  if (same) result.same = {*same.value * 1e6, same.error.value_or(0) * 1e6, same.samples};
  return result;
}

}  // namespace

bool settle_is_hidden(const Evidence& evidence, const SameTrack& same_track, const ReadTimes& reads,
                      Over over, bool after_write) {
  return settle_trials(evidence, same_track, reads, over, after_write).hidden();
}

model::Parameter estimate_write_settle(const Evidence& evidence, const SameTrack& same_track,
                                       const ReadTimes& reads,
                                       const std::optional<WriteSupply>& supply,
                                       const HeadSwitch& head_switch,
                                       const model::Parameter& write_data) {
  Over over = evidence.map().heads() > 1 ? Over::heads : Over::cylinders;
  const bool after_write = !supply || !supply->least;
  SettleTrials trials = settle_trials(evidence, same_track, reads, over, after_write);
  if (over == Over::heads && trials.hidden()) {
    const SettleTrials others = settle_trials(evidence, same_track, reads, Over::cylinders,
                                              after_write);
    if (others.known()) {
      trials = others;
      over = Over::cylinders;
    }
  }
  const bool heads = over == Over::heads;
  if (!trials.moved)
    return model::absent(heads ? "too few writes to another head of a cylinder could be timed"
                               : "too few writes to the next cylinder could be timed",
                         "ms");
  if (!trials.same) return model::absent("too few accesses on one track could be timed", "ms");
  const model::Parameter move = heads ? head_switch.time : shortest_seek(reads);
  if (!move) return model::absent(move.reason, "ms");
  const statistics::Estimate& still = after_write ? *trials.same : supply->begins;
  model::Parameter result = in_ms(
      {trials.moved->value - still.value, std::hypot(trials.moved->error, still.error),
       trials.moved->samples},
      fmt::format("MTBRC of writes to {}, less MTBRC on one track, less {}",
                  heads ? "another head" : "the next cylinder",
                  heads ? "head switch" : "the seek"));
  *result.value -= *move.value;
  result.error = std::hypot(*result.error, move.error.value_or(0));
  if (!after_write) {
    result.method += ", whose data of several blocks tell when the first could come";
    result.reason =
        "a sum: less what passes from the beginning of a write's move to that of its data, "
        "which nothing outside of the drive shows";
    return result;
  }
  if (write_data) {
    *result.value += *write_data.value;
    result.error = std::hypot(*result.error, write_data.error.value_or(0));
    result.method += evidence.write_unit() == 1 ? ", plus one block's transfer"
                                                : ", plus what the writes wait for their data";
  }
  return result;
}

}  // namespace platter::estimate
