#include "cache_check/lookup_delay.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_probe/lookup.h"
#include "cache_probe/verdict.h"
#include "engine/engine.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/stand_ins.h"

namespace platter::cache_check {
namespace {

using cache_probe::error_of_better;
using cache_probe::kCaught_rev;
using cache_probe::lookup_pairs;
using cache_probe::LookupPair;

// Chosen: finer than a host's clock and tail, and longer than any overhead seen to hide a delay.
constexpr double kStep_ns = 2e3, kMost_ns = 150e3;
// Chosen: standard deviations of the delay's logarithm from command to command, tried alike.
constexpr std::array kJitters = {0.1, 0.3, 0.7};
// Chosen: whatever the delay, a host's tail turns so many answers around.
constexpr double kAstrayAnswers = 0.03;  // share of the answers
// Chosen: two thirds of the fewest that are asked where all goes well.
constexpr std::size_t kFewestPairs = 16;
// Factors that decide and that are strong: Jeffreys, Theory of Probability, 1961, appendix B.
const double kDelayProven = std::log(100.0), kHeldProven = std::log(10.0);
constexpr double kSureHeld = 0.05, kSureInside = 0.05;  // chance of being wrong: the usual 5 %
constexpr double kNearBound = 0.9;                      // chosen: of the longest delay tried
constexpr const char* kOpen =
    "blocks asked for when the heads had just passed them, or were about to, did not decide it";

constexpr std::array kCommands = {
    &model::Overheads::read_hit_after_read,   &model::Overheads::read_hit_after_write,
    &model::Overheads::read_miss_after_read,  &model::Overheads::read_miss_after_write,
    &model::Overheads::write_hit_after_read,  &model::Overheads::write_hit_after_write,
    &model::Overheads::write_miss_after_read, &model::Overheads::write_miss_after_write};

// As long as before in all.
void look_up_later(model::Overheads& overheads, double by_ms) {
  overheads.per_request.value = model::acting(overheads, overheads.per_request) + by_ms;
  for (const auto command : kCommands)
    if (overheads.*command) *(overheads.*command).value -= by_ms;
}

double most_ns(const model::Overheads& overheads) {
  double most = kMost_ns;
  for (const auto command : kCommands)
    if (overheads.*command) most = std::min(most, *(overheads.*command).value * 1e6);
  return std::max(0.0, most);
}

// Whether the model answers each as fast as if it had caught the block.
std::vector<double> caught_by(const model::DriveModel& model,
                              const std::vector<LookupPair>& pairs) {
  constexpr Nanoseconds kLongBefore = 10 * kSecond;
  engine::Engine engine(model);
  const auto period = static_cast<double>(engine.period_ns());
  std::vector<double> caught;
  for (const LookupPair& pair : pairs) {
    engine::Request front;
    front.lbn = pair.first->lbn;
    engine::Request asked;
    asked.lbn = pair.asked->lbn;
    Nanoseconds done = 0;
    for (int turn = 0; turn < 2; ++turn) {
      engine.reset(pair.first->issued_ns - kLongBefore);
      done = engine.service(front, pair.first->issued_ns).completion_ns;
      // The platter as the drive had it.
      front.disturbance.phase_ns += done - pair.first->completed_ns;
    }
    front.disturbance.phase_ns -= done - pair.first->completed_ns;
    asked.disturbance = front.disturbance;
    const Nanoseconds issued = done + pair.asked->issued_ns - pair.first->completed_ns;
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

DelayFit fit(const model::DriveModel& model, const std::vector<LookupPair>& pairs,
             double period_ns) {
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
std::array<DelayFit, 2> both_fits(const model::DriveModel& model,
                                  const std::vector<LookupPair>& pairs, double period_ns) {
  std::array<DelayFit, 2> fits;
  for (const int value : {0, 1}) {
    model::DriveModel with = model;
    with.cache.almost_read_hits.value = value;
    fits[static_cast<std::size_t>(value)] = fit(with, pairs, period_ns);
  }
  return fits;
}

// Where a delay is much likelier than none.
void set_delay(const DelayFit& best, std::size_t pairs, model::Overheads& overheads) {
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
  const std::vector<LookupPair> pairs = lookup_pairs(record);
  if (pairs.size() < kFewestPairs || model.overheads.per_request || model.cache.almost_read_hits)
    return {};
  std::vector<HeldOrNot> both;
  const std::array<DelayFit, 2> fits = both_fits(model, pairs, record.setting.period_ns);
  for (const int value : {0, 1}) {
    const DelayFit& fit = fits[static_cast<std::size_t>(value)];
    both.push_back({fit.all, model});
    both.back().model.cache.almost_read_hits.value = value;
    if (fit.at_bound <= kSureInside) set_delay(fit, pairs.size(), both.back().model.overheads);
  }
  return both;
}

void estimate_lookup_delay(const Record& record, model::DriveModel& model) {
  const std::vector<LookupPair> pairs = lookup_pairs(record);
  if (pairs.size() < kFewestPairs || model.overheads.per_request) return;
  model::Parameter& almost = model.cache.almost_read_hits;
  if (!almost) almost.reason = kOpen;
  try {
    const std::array<DelayFit, 2> fits = both_fits(model, pairs, record.setting.period_ns);
    const bool held = fits[1].all > fits[0].all;
    const DelayFit& best = fits[held ? 1 : 0];
    const DelayFit& other = fits[held ? 0 : 1];
    // A delay of a block more or less looks like the other: where that is open, so is the delay,
    // and where the delay may be longer than those that were tried, so is all.
    if (best.all - other.all < kHeldProven || best.at_bound > kSureInside) return;
    const double error = error_of_better(best.each, other.each);
    if (error > kSureHeld) return;
    almost = {};
    almost.value = held ? 1 : 0;
    almost.error = error;
    almost.samples = pairs.size();
    almost.method = "blocks asked for when the heads had just passed them, or were about to";
    set_delay(best, pairs.size(), model.overheads);
  } catch (const Error& error) {  // check_answers() says why the model answers nothing
    let_interruptions_pass(error);
  }
}

bool asked_about_lookup(const Record& record) {
  return lookup_pairs(record).size() >= kFewestPairs;
}

void hold_untold_delay(model::Overheads& overheads) {
  const double sigma_ms = most_ns(overheads) * 1e-6 / std::sqrt(12.0);
  for (const auto command : kCommands)
    if (model::Parameter& rest = overheads.*command; rest && rest.error)
      rest.error = std::hypot(*rest.error, sigma_ms);
}

model::DriveModel with_later_lookup(model::DriveModel model, double by_ms) {
  look_up_later(model.overheads, by_ms);
  return model;
}

void correct_lookup_delay(model::Overheads& overheads, double by_ms, double error_ms) {
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
  const std::vector<LookupPair> pairs = lookup_pairs(record);
  if (pairs.size() < kFewestPairs || model.overheads.per_request) return 0;
  const std::array<DelayFit, 2> fits = both_fits(model, pairs, record.setting.period_ns);
  return 1 / (1 + std::exp(fits[1].all - fits[0].all));
}

}  // namespace platter::cache_check
