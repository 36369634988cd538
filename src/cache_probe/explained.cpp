#include "cache_probe/explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_probe/lookup.h"
#include "cache_probe/replayed.h"
#include "cache_probe/verdict.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/parameters.h"
#include "statistics/contradictions.h"

namespace platter::cache_probe {
namespace {

using statistics::Contradictions;
using ByKind = std::array<Contradictions, static_cast<std::size_t>(kExercises)>;

// What the model answers is a hit or a miss where it is so many times likelier the one than the
// other, by how long the drive's own take; else it is neither.
const double kClear = std::log(10.0);
// A policy must make each half of the answers so many times likelier, whatever the other half says:
// one that other tests ask for, and left open; one that no other test asks for.
const double kModelProven = std::log(100.0), kProvenAlone = std::log(10.0);
constexpr double kHardlyHeld = 0.1;            // chance
constexpr double kMostAstray = 0.02;           // of the answers, whatever the model says
constexpr std::uint64_t kFewestCompared = 40;  // answers
constexpr double kUsualNoise = 0.02;           // share of answers, worth kUsualWorth probes
constexpr double kUsualWorth = 25;
constexpr double kOddsTold = 200;      // against what noise does
constexpr double kMostlyChance = 0.2;  // that the drive answers otherwise: such answers tell little
constexpr double kWorthNaming = 0.1;   // of the answers of a kind
constexpr double kMuchBetter = 0.7;    // of the error of the times of writes without pause
constexpr int kOtherDraws = 24;        // of what is random
constexpr double kBefore = 0.2;        // so many hits, and misses, were thought seen before them

bool judged_by_hits(const Observation& seen) {
  return kind_of(seen) != Exercise::setup && kind_of(seen) != Exercise::burst;
}

// Of what is a hit, or a miss, beyond doubt.
double share_misled(const Record& record, const Responses& responses, bool hit) {
  double misled = kUsualNoise * kUsualWorth, all = kUsualWorth;
  for (const Observation& seen : record.observations) {
    const bool told = hit ? seen.question == Question::reread
                          : seen.question == Question::miss_control ||
                                (seen.question == Question::exercise && from_media_for_sure(seen));
    if (!told) continue;
    misled += responses.is_fast(seen) != hit;
    ++all;
  }
  return misled / all;
}

struct Alternative {
  model::Parameter model::Cache::*policy;
  double value;
};
using model::absent;
using model::Cache;
constexpr Alternative kAlternatives[] = {
    {&Cache::almost_read_hits, 1},
    {&Cache::replacement, static_cast<double>(model::Replacement::first_in_first_out)},
    {&Cache::replacement, static_cast<double>(model::Replacement::random)},
    {&Cache::read_ahead_on_hit, 1},
    {&Cache::read_ahead_after_sequential, 1},
    {&Cache::read_ahead_abort, 0},
    {&Cache::read_ahead_resumes, 1},
    {&Cache::write_hit_stops_read_ahead, 0},
    {&Cache::read_free_blocks, 1},
    {&Cache::read_hit_on_written, 1},
    {&Cache::separate_write_segment, 1},
    {&Cache::combine_sequential_writes, 1},
    {&Cache::write_updates_segments, 1},
};

enum class Predicted : std::uint8_t { hit, miss, neither };

Predicted predicted(const Replayed& replayed, std::size_t i, const Responses& responses) {
  const double ratio = replayed.log_ratio(i, responses);
  return ratio > kClear ? Predicted::hit : ratio < -kClear ? Predicted::miss : Predicted::neither;
}

bool draws_at_random(const model::DriveModel& model) {
  return model.cache.replacement.or_else(0) == static_cast<double>(model::Replacement::random);
}

// How likely each request is a hit where the model's random choices are others, the delay in front
// of the cache is what it may be, too, and the times are off by so much, at random.
std::vector<double> hits_by_chance(const Record& record, const model::DriveModel& model,
                                   const Responses& responses, const TimeNoise& noise) {
  std::vector<double> hits;
  std::mt19937_64 random;
  for (int draws = 1; draws <= kOtherDraws; ++draws) {
    const Replayed other(record, with_other_delay(model, random), draws, noise);
    hits.resize(other.size(), kBefore);
    for (std::size_t i = 0; i < other.size(); ++i) hits[i] += other.log_ratio(i, responses) > 0;
  }
  for (double& share : hits) share /= kOtherDraws + 2 * kBefore;
  return hits;
}

// log(P(answers | model) / P(answers | all miss)), of each half of the answers: what comes behind
// one read elsewhere and up to the next is of the same.
struct Likelihood {
  std::array<double, 2> half{};
  std::vector<double> each{};  // of each answer

  double all() const { return half[0] + half[1]; }
  bool proves(const Likelihood& over, double proven) const {
    return half[0] - over.half[0] > proven && half[1] - over.half[1] > proven;
  }
};
Likelihood likelihood(const Replayed& replayed, const Responses& responses,
                      const std::vector<double>& by_chance) {
  Likelihood sum;
  std::size_t half = 0;
  for (std::size_t i = 0; i < replayed.size(); ++i) {
    const Observation& seen = replayed.seen(i);
    if (kind_of(seen) == Exercise::elsewhere) half = 1 - half;
    if (!judged_by_hits(seen)) continue;
    const Predicted answer = predicted(replayed, i, responses);
    double hits = answer == Predicted::hit ? 1 : answer == Predicted::miss ? 0 : 0.5;
    if (!by_chance.empty()) hits = by_chance[i];
    hits = std::clamp(hits, kMostAstray, 1 - kMostAstray);
    sum.each.push_back(std::log(hits * std::exp(responses.log_ratio(seen)) + 1 - hits));
    sum.half[half] += sum.each.back();
  }
  return sum;
}
Likelihood likelihood(const Record& record, const model::DriveModel& model,
                      const Responses& responses) {
  std::vector<double> by_chance;
  if (draws_at_random(model)) by_chance = hits_by_chance(record, model, responses, {});
  return likelihood(Replayed(record, model), responses, by_chance);
}
// Answers that hang on a few microseconds tell little.
Likelihood likelihood_in_noise(const Record& record, const model::DriveModel& model,
                               const Responses& responses) {
  const Replayed replayed(record, model);
  return likelihood(replayed, responses,
                    hits_by_chance(record, model, responses, replayed.time_noise(responses)));
}

// Of one answer: that the drive says the other thing though the model is right.
class Noise {
 public:
  Noise(const Record& record, const model::DriveModel& model, const Responses& responses,
        const Replayed& replayed)
      : slow_if_hit_(share_misled(record, responses, true)),
        fast_if_miss_(share_misled(record, responses, false)),
        by_chance_(hits_by_chance(record, model, responses, replayed.time_noise(responses))) {
    if (slow_if_hit_ >= 0.5) slow_if_hit_ = kUsualNoise;  // what is read again is no hit at all
  }
  double of(std::size_t i, bool hit) const {
    const double other = hit ? 1 - by_chance_[i] : by_chance_[i];
    return std::min(0.5, std::max(hit ? slow_if_hit_ : fast_if_miss_, other));
  }

 private:
  double slow_if_hit_, fast_if_miss_;
  std::vector<double> by_chance_;
};

std::string sentence(const Contradictions& all, const ByKind& kinds) {
  std::string text = fmt::format(
      "the cache does what the model has no words for: {} of {} answers to requests in random "
      "order contradict "
      "it, noise explains {:.0f}",
      all.contradicting(), all.answers(), all.by_noise());
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (static_cast<double>(kinds[kind].contradicting()) >
        kWorthNaming * static_cast<double>(kinds[kind].answers()))
      text += fmt::format("; of {} {} of {}", name_of(static_cast<Exercise>(kind)),
                          kinds[kind].contradicting(), kinds[kind].answers());
  return text;
}

Explained judged(const Record& record, const model::DriveModel& model) {
  const Replayed replayed(record, model);
  const Responses responses(record);
  const Noise noise(record, model, responses, replayed);
  ByKind kinds{};
  Contradictions all;
  for (std::size_t i = 0; i < replayed.size(); ++i) {
    const Observation& seen = replayed.seen(i);
    if (!judged_by_hits(seen)) continue;
    const Predicted answer = predicted(replayed, i, responses);
    if (answer == Predicted::neither) continue;
    const bool hit = answer == Predicted::hit;
    const double misled = noise.of(i, hit);
    if (misled > kMostlyChance) continue;
    const bool contradicts = responses.is_fast(seen) != hit;
    kinds[static_cast<std::size_t>(seen.x)].add(contradicts, misled);
    all.add(contradicts, misled);
  }
  Explained result;
  if (all.answers() < kFewestCompared) {
    result.unexplained_share = absent("too few requests in random order were answered");
    return result;
  }
  const auto n = static_cast<double>(all.answers());
  const auto contradicted = static_cast<double>(all.contradicting());
  // One more of each kind, so that none of all has an error, too.
  const double near = (contradicted + 1) / (n + 2);
  model::Parameter& share = result.unexplained_share;
  share.value = std::max(0.0, (contradicted - all.by_noise()) / n);
  share.error = std::sqrt(near * (1 - near) / n);
  share.samples = all.answers();
  share.method =
      "requests in random order: the model contradicts the answer; what noise explains is taken "
      "off";
  // Half of what was believed before for all kinds alike, half for one of them.
  double odds = 0;
  for (const Contradictions& kind : kinds) odds += kind.odds() / kExercises;
  if ((odds + all.odds()) / 2 > kOddsTold)
    result.notes.push_back(sentence(all, kinds));
  else
    result.open = !all.refuted();
  return result;
}

// In which order written data leave the cache, by the times of writes without pause.
void order_of_destage(const Record& record, model::DriveModel& model) {
  model::Parameter& order = model.cache.destage_order;
  if (order || model.cache.destage_behind.or_else(0) == 0) return;
  model::DriveModel changed = model;
  const auto error_ms = [&](model::DestageOrder as) {
    changed.cache.destage_order.value = static_cast<double>(as);
    return Replayed(record, changed).burst_error_ns() * 1e-6;
  };
  const double oldest = error_ms(model::DestageOrder::oldest),
               by_lbn = error_ms(model::DestageOrder::by_lbn);
  if (std::min(oldest, by_lbn) >= kMuchBetter * std::max(oldest, by_lbn))
    return;  // both 0: there were none
  order.value = static_cast<double>(by_lbn < oldest ? model::DestageOrder::by_lbn
                                                    : model::DestageOrder::oldest);
  order.method = fmt::format(
      "writes without pause: the model's times are {:.2f} ms off, with the other order {:.2f} ms",
      std::min(oldest, by_lbn), std::max(oldest, by_lbn));
  order.reason.clear();
}

std::uint64_t exercises(const Record& record) {
  return static_cast<std::uint64_t>(
      std::ranges::count(record.observations, Question::exercise, &Observation::question));
}

bool exercised(const Record& record) {
  return std::ranges::any_of(record.observations, [](const Observation& seen) {
    return seen.question == Question::exercise;
  });
}

}  // namespace

void settle_lookup(const Record& record, model::DriveModel& model) {
  if (!exercised(record)) return;
  try {
    const std::vector<HeldOrNot> both = held_or_not(record, model);
    if (both.empty()) return;
    const Responses responses(record);
    const auto all = [&](const HeldOrNot& each) {
      return each.log_likelihood + likelihood_in_noise(record, each.model, responses).all();
    };
    const double held = 1 / (1 + std::exp(all(both[0]) - all(both[1])));
    if (held < kHardlyHeld) {
      model.overheads = both[0].model.overheads;
    } else if (held > 0.5 && likelihood(record, both[1].model, responses)
                                 .proves(likelihood(record, model, responses), kProvenAlone)) {
      model.overheads = both[1].model.overheads;
      model::Parameter& almost = model.cache.almost_read_hits;
      almost = {};
      almost.value = 1;
      almost.error = 1 - held;
      almost.samples = exercises(record);
      almost.method =
          "blocks asked for when the heads had just passed them, or were about to, and requests in "
          "random order";
    }
  } catch (const Error& error) {  // explain() tells why
    let_interruptions_pass(error);
  }
}

void fill_gaps(const Record& record, model::DriveModel& model) {
  if (!exercised(record)) return;
  try {
    const Responses responses(record);
    Likelihood now = likelihood(record, model, responses);
    for (;;) {
      const Alternative* best = nullptr;
      Likelihood with_best = now;
      for (const Alternative& other : kAlternatives) {
        if (model.cache.*other.policy) continue;
        model::DriveModel changed = model;
        (changed.cache.*other.policy).value = other.value;
        const Likelihood with = likelihood(record, changed, responses);
        const bool alone = other.policy == &Cache::almost_read_hits;
        if (!with.proves(now, alone ? kProvenAlone : kModelProven) || with.all() <= with_best.all())
          continue;
        with_best = with;
        best = &other;
      }
      if (!best) break;
      const double gained = with_best.all() - now.all();
      model::Parameter& policy = model.cache.*best->policy;
      policy.value = best->value;
      policy.error = error_of_better(with_best.each, now.each);
      // Of the two only this one is tried here.
      if (best->policy == &Cache::almost_read_hits)
        policy.error = std::max(*policy.error, chance_of_delay_instead(record, model));
      policy.samples = exercises(record);
      policy.method = fmt::format(
          "requests in random order: the answers are exp({:.1f}) times likelier so, in both halves",
          gained);
      policy.reason.clear();
      now = with_best;
    }
    order_of_destage(record, model);
  } catch (const Error& error) {  // explain() tells why
    let_interruptions_pass(error);
  }
}

Explained explain(const Record& record, const model::DriveModel& model) {
  if (!exercised(record)) {
    return {absent(record.setting.complete ? "there was no room for requests in random order"
                                           : "the budget for cache tests was used up before"),
            {}};
  }
  try {
    return judged(record, model);
  } catch (const Error& error) {
    let_interruptions_pass(error);
    return {absent(fmt::format("the model answers no requests: {}", error.what())), {}};
  }
}

}  // namespace platter::cache_probe
