#include "cache_probe/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "cache_probe/facts.h"
#include "cache_probe/read_setups.h"
#include "cache_probe/responses.h"
#include "cache_probe/verdict.h"
#include "engine/engine.h"
#include "model/error.h"
#include "model/interruption.h"

namespace platter::cache_probe {
namespace {

constexpr int kPairs = 28, kAtTrackEnd = 6, kPairsOfUsual = 16, kPairsOfShort = 13;
constexpr double kOfInnermost = 0.9, kShorter = 0.85;  // of the drive's blocks; of the usual track
constexpr double kReached_rev = 0.35;                  // after a short way
constexpr int kPlaceTries = 40, kMostTracksOn = 6;
constexpr double kMostLate_rev = 0.1;
constexpr int kMostAtLimit = 4;                        // of the pairs: there is no edge
constexpr double kFirstStep = 0.2, kLeastStep = 0.02;  // hits
constexpr int kMoreBlocks = 2;
constexpr double kLeastOfHit = 0.3, kMostOfHit = 0.8;  // the heads are so near, in times of a hit
constexpr double kCaught_rev = 0.5;

constexpr double kStep_ns = 2e3, kMost_ns = 150e3;
constexpr std::array kJitters = {0.1, 0.3, 0.7};  // of the logarithm, from command to command
constexpr double kAstrayAnswers = 0.03;           // of the answers
constexpr std::size_t kFewestPairs = 16;          // pairs
const double kDelayProven = std::log(100.0);      // a delay, against none
const double kProvenHeld = std::log(10.0);
constexpr double kSureHeld = 0.05, kSureInside = 0.05;  // chance of being wrong
constexpr double kNearBound = 0.9;                      // of the longest delay that is tried

// The read in front, then one that asks for `block` so long before it can have been sent as fast as
// the first one was.
bool ask(Prober& prober, std::uint64_t front, std::uint64_t block, double apart_ns,
         double early_ns) {
  const scsi::Completion done = prober.read(front);
  prober.keep(Question::lookup, 0, done, front, 1, false);
  scsi::Drive& drive = prober.context().drive;
  const auto wait_ns = static_cast<double>(done.completed_ns - drive.now_ns()) + apart_ns -
                       early_ns;
  if (wait_ns > 0) drive.rest_ns(static_cast<Nanoseconds>(wait_ns));
  prober.probe_now(Question::lookup, 1, block);
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

struct Pair {
  const Observation* front = nullptr;
  const Observation* asked = nullptr;
};
std::vector<Pair> pairs_of(const Record& record) {
  std::vector<Pair> pairs;
  const Observation* before = nullptr;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::lookup) continue;
    if (seen.x == 1 && before) pairs.push_back({before, &seen});
    before = seen.x == 0 ? &seen : nullptr;
  }
  return pairs;
}

constexpr std::array kCommands = {
    &model::Overheads::read_hit_after_read,   &model::Overheads::read_hit_after_write,
    &model::Overheads::read_miss_after_read,  &model::Overheads::read_miss_after_write,
    &model::Overheads::write_hit_after_read,  &model::Overheads::write_hit_after_write,
    &model::Overheads::write_miss_after_read, &model::Overheads::write_miss_after_write};

// As long as before in all.
void look_up_later(model::Overheads& overheads, double by_ms) {
  overheads.per_request.value = overheads.per_request.or_else(0) + by_ms;
  for (const auto command : kCommands)
    if (overheads.*command) (overheads.*command).value = (overheads.*command).or_else(0) - by_ms;
}

double most_ns(const model::Overheads& overheads) {
  double most = kMost_ns;
  for (const auto command : kCommands)
    if (overheads.*command) most = std::min(most, (overheads.*command).or_else(0) * 1e6);
  return std::max(0.0, most);
}

// Whether the model answers each as fast as if it had caught the block.
std::vector<double> caught_by(const model::DriveModel& model, const std::vector<Pair>& pairs) {
  constexpr Nanoseconds kLongBefore = 10 * kSecond;
  engine::Engine engine(model);
  const auto period = static_cast<double>(engine.period_ns());
  std::vector<double> caught;
  for (const Pair& pair : pairs) {
    engine::Request front;
    front.lbn = pair.front->lbn;
    engine::Request asked;
    asked.lbn = pair.asked->lbn;
    Nanoseconds done = 0;
    for (int turn = 0; turn < 2; ++turn) {
      engine.reset(pair.front->issued_ns - kLongBefore);
      done = engine.service(front, pair.front->issued_ns).completion_ns;
      // The platter as the drive had it.
      front.disturbance.phase_ns += done - pair.front->completed_ns;
    }
    front.disturbance.phase_ns -= done - pair.front->completed_ns;
    asked.disturbance = front.disturbance;
    const Nanoseconds issued = done + pair.asked->issued_ns - pair.front->completed_ns;
    const Nanoseconds response = engine.service(asked, issued).completion_ns - issued;
    caught.push_back(static_cast<double>(response) < kCaught_rev * period);
  }
  return caught;
}

// What the answers say of a drive that looks up its cache so late, by steps of kStep_ns; the
// likelihoods are sums over how much that varies from command to command.
struct DelayFit {
  std::vector<double> log_likelihood{};
  double all = 0, later = 0;  // of all together, of all but "at once"
  double mean_ns = 0, error_ns = 0;
  double at_bound = 0;  // chance that the delay is about the longest that was tried, or longer
  std::vector<double> each{};  // log(P(answer)), of the best
};

double log_mean(const std::vector<double>& logs, std::size_t from) {
  const double most = *std::max_element(logs.begin() + static_cast<std::ptrdiff_t>(from),
                                        logs.end());
  double sum = 0;
  for (std::size_t i = from; i < logs.size(); ++i) sum += std::exp(logs[i] - most);
  return most + std::log(sum / static_cast<double>(logs.size() - from));
}

// Of a median of so many steps; no time at all does not vary.
double log_normal(std::size_t steps, std::size_t median, double spread) {
  if (steps == 0 || median == 0) return steps == median;
  const double z = std::log(static_cast<double>(steps) / static_cast<double>(median)) / spread;
  return std::exp(-0.5 * z * z) / static_cast<double>(steps);
}

DelayFit fit(const model::DriveModel& model, const std::vector<Pair>& pairs, double period_ns) {
  const auto steps = static_cast<std::size_t>(most_ns(model.overheads) / kStep_ns);
  std::vector<std::vector<double>> caught;
  for (std::size_t step = 0; step <= steps; ++step) {
    stop_if_asked();
    model::DriveModel later = model;
    look_up_later(later.overheads, static_cast<double>(step) * kStep_ns * 1e-6);
    caught.push_back(caught_by(later, pairs));
  }
  DelayFit result;
  double best = -1e300;
  for (std::size_t at = 0; at < caught.size(); ++at) {
    std::vector<double> of_jitters;
    for (const double jitter : kJitters) {
      stop_if_asked();
      std::vector<double> weights;
      double all = 0;
      for (std::size_t step = 0; step < caught.size(); ++step) {
        weights.push_back(log_normal(step, at, jitter));
        all += weights.back();
      }
      std::vector<double> each;
      double sum = 0;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        double expected = 0;
        for (std::size_t step = 0; step < caught.size(); ++step)
          expected += weights[step] / all * caught[step][i];
        expected = std::clamp(expected, kAstrayAnswers, 1 - kAstrayAnswers);
        const bool was = static_cast<double>(pairs[i].asked->response_ns()) <
                         kCaught_rev * period_ns;
        each.push_back(std::log(was ? expected : 1 - expected));
        sum += each.back();
      }
      if (sum > best) {
        best = sum;
        result.each = each;
      }
      of_jitters.push_back(sum);
    }
    result.log_likelihood.push_back(log_mean(of_jitters, 0));
  }
  result.all = log_mean(result.log_likelihood, 0);
  if (caught.size() > 1) result.later = log_mean(result.log_likelihood, 1);
  double weights = 0, squares = 0;
  for (std::size_t at = 0; at < caught.size(); ++at) {
    const double weight = std::exp(result.log_likelihood[at] - result.all);
    const double ns = static_cast<double>(at) * kStep_ns;
    weights += weight;
    if (ns >= kNearBound * static_cast<double>(steps) * kStep_ns) result.at_bound += weight;
    result.mean_ns += weight * ns;
    squares += weight * ns * ns;
  }
  result.mean_ns /= weights;
  result.at_bound /= weights;
  result.error_ns = std::sqrt(std::max(0.0, squares / weights - result.mean_ns * result.mean_ns) +
                              kStep_ns * kStep_ns / 12);
  return result;
}

// Where blocks that are just being read do not count as held (0), and where they do (1).
std::array<DelayFit, 2> both_fits(const model::DriveModel& model, const std::vector<Pair>& pairs,
                                  double period_ns) {
  std::array<DelayFit, 2> fits;
  for (const int value : {0, 1}) {
    model::DriveModel with = model;
    with.cache.almost_read_hits.value = value;
    fits[static_cast<std::size_t>(value)] = fit(with, pairs, period_ns);
  }
  return fits;
}

}  // namespace

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

namespace {

// Where a delay is much likelier than none.
void tell_delay(const DelayFit& best, std::size_t pairs, model::Overheads& overheads) {
  if (best.later - best.log_likelihood.front() < kDelayProven) return;
  look_up_later(overheads, best.mean_ns * 1e-6);
  model::Parameter& late = overheads.per_request;
  late.error = best.error_ns * 1e-6;
  for (const auto command : kCommands)
    if (model::Parameter& rest = overheads.*command; rest && rest.error)
      rest.error = std::hypot(*rest.error, *late.error);
  late.samples = pairs;
  late.unit = "ms";
  late.method =
      "blocks asked for when the heads had just passed them, or were about to: how long after it "
      "was sent a command finds them";
}

}  // namespace

std::vector<HeldOrNot> held_or_not(const Record& record, const model::DriveModel& model) {
  const std::vector<Pair> pairs = pairs_of(record);
  if (pairs.size() < kFewestPairs || model.overheads.per_request || model.cache.almost_read_hits)
    return {};
  std::vector<HeldOrNot> both;
  const std::array<DelayFit, 2> fits = both_fits(model, pairs, record.setting.period_ns);
  for (const int value : {0, 1}) {
    const DelayFit& fit = fits[static_cast<std::size_t>(value)];
    both.push_back({fit.all, model});
    both.back().model.cache.almost_read_hits.value = value;
    if (fit.at_bound <= kSureInside) tell_delay(fit, pairs.size(), both.back().model.overheads);
  }
  return both;
}

void tell_lookup(const Record& record, model::DriveModel& model) {
  const std::vector<Pair> pairs = pairs_of(record);
  if (pairs.size() < kFewestPairs || model.overheads.per_request) return;
  try {
    model::Parameter& almost = model.cache.almost_read_hits;
    const std::array<DelayFit, 2> fits = both_fits(model, pairs, record.setting.period_ns);
    const bool held = fits[1].all > fits[0].all;
    const DelayFit& best = fits[held ? 1 : 0];
    const DelayFit& other = fits[held ? 0 : 1];
    // A delay of a block more or less looks like the other: where that is open, so is the delay,
    // and where the delay may be longer than those that were tried, so is all.
    if (best.all - other.all < kProvenHeld || best.at_bound > kSureInside) return;
    const double error = error_of_better(best.each, other.each);
    if (error > kSureHeld) return;
    almost = {};
    almost.value = held ? 1 : 0;
    almost.error = error;
    almost.samples = pairs.size();
    almost.method = "blocks asked for when the heads had just passed them, or were about to";
    tell_delay(best, pairs.size(), model.overheads);
  } catch (const Error& error) {  // explain() tells why the model answers nothing
    let_interruptions_pass(error);
  }
}

model::DriveModel with_later_lookup(model::DriveModel model, double by_ms) {
  look_up_later(model.overheads, by_ms);
  return model;
}

void correct_lookup(model::Overheads& overheads, double by_ms, double error_ms) {
  const double before_ms = overheads.per_request.error.value_or(0);
  look_up_later(overheads, by_ms);
  overheads.per_request.error = error_ms;
  for (const auto command : kCommands)
    if (model::Parameter& rest = overheads.*command; rest && rest.error)
      rest.error = std::hypot(
          std::sqrt(std::max(0.0, *rest.error * *rest.error - before_ms * before_ms)), error_ms);
}

model::DriveModel with_other_delay(const model::DriveModel& model, std::mt19937_64& random) {
  model::DriveModel other = model;
  const double longest_ms = most_ns(model.overheads) * 1e-6;
  const auto& told = model.overheads.per_request;
  double by_ms = 0;
  if (!told) {
    by_ms = std::uniform_real_distribution<double>(0, longest_ms)(random);
  } else if (told.error.value_or(0) > 0) {
    const double off_ms = std::normal_distribution<double>(0, *told.error)(random);
    by_ms = std::clamp(off_ms, -std::max(0.0, *told.value), longest_ms);
  }
  look_up_later(other.overheads, by_ms);
  return other;
}

double chance_of_delay_instead(const Record& record, const model::DriveModel& model) {
  const std::vector<Pair> pairs = pairs_of(record);
  if (pairs.size() < kFewestPairs || model.overheads.per_request) return 0;
  const std::array<DelayFit, 2> fits = both_fits(model, pairs, record.setting.period_ns);
  return 1 / (1 + std::exp(fits[1].all - fits[0].all));
}

}  // namespace platter::cache_probe
