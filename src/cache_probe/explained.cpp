#include "cache_probe/explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_probe/exercise.h"
#include "cache_probe/responses.h"
#include "cache_probe/verdict.h"
#include "engine/engine.h"
#include "model/error.h"
#include "model/parameters.h"
#include "statistics/distribution.h"

namespace platter::cache_probe {
namespace {

// What the model answers is a hit or a miss where it is so many times likelier the one than the other,
// by how long the drive's own take; else it is neither.
const double kClear = std::log(10.0);
// A policy must make each half of the answers so many times likelier, whatever the other half says: one
// that other tests ask for, and left open; one that no other test asks for.
const double kProven = std::log(100.0), kProvenAlone = std::log(10.0);
constexpr double kAstray = 0.02;             // of the answers, whatever the model says
constexpr std::uint64_t kFewest = 40;        // answers
constexpr double kUsualNoise = 0.02;         // share of answers, worth kUsualWorth probes
constexpr double kUsualWorth = 25;
constexpr double kByChance = 0.005;   // that noise alone contradicts so often: below, it is told
constexpr double kWorthNaming = 0.1;  // of the answers of a kind
constexpr double kMuchBetter = 0.7;   // of the error of the times of writes without pause
constexpr Nanoseconds kLongBefore = 10 * kSecond;
constexpr double kSoon = 0.1;         // revolutions; writes without pause
constexpr int kOtherDraws = 6;        // where segments are replaced at random

Exercise kind_of(const Observation& seen) { return static_cast<Exercise>(seen.x); }
bool judged_by_hits(const Observation& seen) {
  return kind_of(seen) != Exercise::setup && kind_of(seen) != Exercise::burst;
}

struct Answers {
  std::uint64_t all = 0, contradicted = 0;
  double by_noise = 0;  // of the contradicted
};

// Poisson: so many or more, where `mean` are expected.
double chance_of(const Answers& answers) {
  double term = std::exp(-answers.by_noise), fewer = 0;
  for (std::uint64_t i = 0; i < answers.contradicted; ++i) {
    fewer += term;
    term *= answers.by_noise / static_cast<double>(i + 1);
  }
  return 1 - fewer;
}

double share_misled(const Record& record, const Responses& responses, Question question, bool hit) {
  double misled = kUsualNoise * kUsualWorth, all = kUsualWorth;
  for (const Observation& seen : record.observations) {
    if (seen.question != question) continue;
    misled += responses.is_fast(seen) != hit;
    ++all;
  }
  return misled / all;
}

class Replayed {
 public:
  // `draws`: so many random choices were made before.
  Replayed(const Record& record, const model::DriveModel& model, int draws = 0)
      : period_ns_(record.setting.period_ns), draws_(draws), engine_(model) {
    for (const Observation& seen : record.observations)
      if (seen.question == Question::exercise) seen_.push_back(&seen);
    play(0);
    std::vector<double> late;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (from_media_for_sure(*seen_[i]) && response_ns(i) > 0)
        late.push_back(static_cast<double>(responses_[i] - seen_[i]->response_ns()));
    play(static_cast<Nanoseconds>(std::llround(statistics::circular_median(late, period_ns_))));
  }

  std::size_t size() const { return seen_.size(); }
  const Observation& seen(std::size_t i) const { return *seen_[i]; }
  // How much likelier a hit than a miss the drive would be, if it answered as the model does.
  double log_ratio(std::size_t i, const Responses& responses) const {
    Observation answered = *seen_[i];
    answered.completed_ns = answered.issued_ns + responses_[i];
    return responses.log_ratio(answered);
  }

  // Mean error of the responses of writes without pause.
  double burst_error_ns() const {
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (kind_of(*seen_[i]) != Exercise::burst) continue;
      sum += std::abs(response_ns(i) - static_cast<double>(seen_[i]->response_ns()));
      ++all;
    }
    return all > 0 ? sum / all : 0;
  }

 private:
  static bool from_media_for_sure(const Observation& seen) {
    return kind_of(seen) == Exercise::elsewhere || kind_of(seen) == Exercise::setup;
  }
  double response_ns(std::size_t i) const { return static_cast<double>(responses_[i]); }

  // As on the drive; where the model is not ready yet when the drive was, it is given the time, the
  // platter standing still meanwhile. What was asked as soon as the drive was ready comes so soon in
  // the model's own time, too: a few us decide whether a block is caught.
  void play(Nanoseconds phase_ns) {
    responses_.clear();
    if (seen_.empty()) return;
    engine_.reset(seen_.front()->issued_ns - kLongBefore);
    draw_before();
    Nanoseconds held = 0, free = 0, drive_free = 0, turned = phase_ns;
    bool in_burst = false;
    for (const Observation* seen : seen_) {
      const Nanoseconds rest = seen->issued_ns - drive_free;
      const bool burst = kind_of(*seen) == Exercise::burst;
      const bool begins = burst && !(in_burst && static_cast<double>(rest) < kSoon * period_ns_);
      in_burst = burst;
      if (begins) free = std::max(free, engine_.synchronize(std::max(free, seen->issued_ns + held)));
      if (kind_of(*seen) == Exercise::at_once || (burst && !begins)) {
        held = free + rest - seen->issued_ns;
      } else {
        held = std::max(held, free - seen->issued_ns);
        turned = phase_ns - held;
      }
      drive_free = seen->completed_ns;
      engine::Request request;
      request.lbn = seen->lbn;
      request.blocks = seen->blocks;
      request.write = seen->write;
      request.disturbance.phase_ns = turned;
      const Nanoseconds issued = seen->issued_ns + held;
      free = engine_.service(request, issued).completion_ns;
      responses_.push_back(free - issued);
    }
  }

  // One-block reads all over the drive.
  void draw_before() {
    const Nanoseconds begin = seen_.front()->issued_ns - kLongBefore;
    for (int i = 0; i < draws_; ++i) {
      engine::Request request;
      request.lbn = engine_.blocks() / static_cast<std::uint64_t>(draws_) * static_cast<std::uint64_t>(i);
      engine_.service(request, begin + i * kLongBefore / (draws_ + 1));
    }
  }

  double period_ns_;
  int draws_;
  engine::Engine engine_;
  std::vector<const Observation*> seen_;
  std::vector<Nanoseconds> responses_;
};

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

// How likely another drive of the same model, whose random choices are others, would answer each
// request by a hit. Empty: nothing is random.
std::vector<double> by_other_draws(const Record& record, const model::DriveModel& model,
                                   const Responses& responses) {
  if (!draws_at_random(model)) return {};
  std::vector<double> hits;
  for (int draws = 1; draws <= kOtherDraws; ++draws) {
    const Replayed other(record, model, draws);
    hits.resize(other.size());
    for (std::size_t i = 0; i < other.size(); ++i)
      hits[i] += (other.log_ratio(i, responses) > 0) / double{kOtherDraws};
  }
  return hits;
}

// log(P(answers | model) / P(answers | all miss)), of each half of the answers: what comes behind one
// read elsewhere and up to the next is of the same.
struct Likelihood {
  std::array<double, 2> half{};

  std::vector<double> each{};

  double all() const { return half[0] + half[1]; }
  bool proves(const Likelihood& over, double proven) const {
    return half[0] - over.half[0] > proven && half[1] - over.half[1] > proven;
  }
};
Likelihood likelihood(const Record& record, const model::DriveModel& model,
                      const Responses& responses) {
  const Replayed replayed(record, model);
  const std::vector<double> by_chance = by_other_draws(record, model, responses);
  Likelihood sum;
  std::size_t half = 0;
  for (std::size_t i = 0; i < replayed.size(); ++i) {
    const Observation& seen = replayed.seen(i);
    if (kind_of(seen) == Exercise::elsewhere) half = 1 - half;
    if (!judged_by_hits(seen)) continue;
    const Predicted answer = predicted(replayed, i, responses);
    double hits = answer == Predicted::hit ? 1 : answer == Predicted::miss ? 0 : 0.5;
    if (!by_chance.empty()) hits = by_chance[i];
    hits = std::clamp(hits, kAstray, 1 - kAstray);
    sum.each.push_back(std::log(hits * std::exp(responses.log_ratio(seen)) + 1 - hits));
    sum.half[half] += sum.each.back();
  }
  return sum;
}

Explained judged(const Record& record, const model::DriveModel& model) {
  const Replayed replayed(record, model);
  const Responses responses(record);
  const std::vector<double> by_chance = by_other_draws(record, model, responses);
  std::array<Answers, static_cast<std::size_t>(kExercises)> kinds{};
  Answers all;
  const double slow_if_hit = share_misled(record, responses, Question::reread, true);
  const double fast_if_miss = share_misled(record, responses, Question::miss_control, false);
  const bool tells_hits = slow_if_hit < 0.5;  // else what is read again is no hit at all
  for (std::size_t i = 0; i < replayed.size(); ++i) {
    const Observation& seen = replayed.seen(i);
    if (!judged_by_hits(seen)) continue;
    const Predicted answer = predicted(replayed, i, responses);
    if (answer == Predicted::neither) continue;
    const bool fast = responses.is_fast(seen);
    const bool hit = answer == Predicted::hit;
    double misled = hit ? (tells_hits ? slow_if_hit : kUsualNoise) : fast_if_miss;
    if (!by_chance.empty()) misled = std::max(misled, hit ? 1 - by_chance[i] : by_chance[i]);
    for (Answers* answers : {&kinds[static_cast<std::size_t>(seen.x)], &all}) {
      ++answers->all;
      answers->contradicted += fast != hit;
      answers->by_noise += misled;
    }
  }
  Explained result;
  if (all.all < kFewest) {
    result.unexplained_share = absent("too few requests in random order were answered");
    return result;
  }
  const auto n = static_cast<double>(all.all);
  const auto contradicted = static_cast<double>(all.contradicted);
  // One more of each kind, so that none of all has an error, too.
  const double near = (contradicted + 1) / (n + 2);
  model::Parameter& share = result.unexplained_share;
  share.value = std::max(0.0, (contradicted - all.by_noise) / n);
  share.error = std::sqrt(near * (1 - near) / n);
  share.samples = all.all;
  share.method = "requests in random order: the model contradicts the answer; what noise explains is taken off";
  const auto of_a_kind = [](const Answers& kind) { return chance_of(kind) < kByChance / kExercises; };
  if (chance_of(all) > kByChance && std::ranges::none_of(kinds, of_a_kind)) return result;
  std::string text = fmt::format(
      "the cache does what the model has no words for: {} of {} answers to requests in random order contradict "
      "it, noise explains {:.0f}",
      all.contradicted, all.all, all.by_noise);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (static_cast<double>(kinds[kind].contradicted) > kWorthNaming * static_cast<double>(kinds[kind].all))
      text += fmt::format("; of {} {} of {}", name_of(static_cast<Exercise>(kind)), kinds[kind].contradicted,
                          kinds[kind].all);
  result.notes.push_back(std::move(text));
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
  const double oldest = error_ms(model::DestageOrder::oldest), by_lbn = error_ms(model::DestageOrder::by_lbn);
  if (std::min(oldest, by_lbn) > kMuchBetter * std::max(oldest, by_lbn)) return;
  order.value = static_cast<double>(by_lbn < oldest ? model::DestageOrder::by_lbn : model::DestageOrder::oldest);
  order.method = fmt::format(
      "writes without pause: the model's times are {:.2f} ms off, with the other order {:.2f} ms",
      std::min(oldest, by_lbn), std::max(oldest, by_lbn));
  order.reason.clear();
}

bool exercised(const Record& record) {
  return std::ranges::any_of(record.observations, [](const Observation& seen) {
    return seen.question == Question::exercise;
  });
}

}  // namespace

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
        if (!with.proves(now, alone ? kProvenAlone : kProven) || with.all() <= with_best.all()) continue;
        with_best = with;
        best = &other;
      }
      if (!best) break;
      const double gained = with_best.all() - now.all();
      model::Parameter& policy = model.cache.*best->policy;
      policy.value = best->value;
      policy.error = error_of_better(with_best.each, now.each);
      policy.samples = static_cast<std::uint64_t>(
          std::ranges::count(record.observations, Question::exercise, &Observation::question));
      policy.method = fmt::format(
          "requests in random order: the answers are exp({:.1f}) times likelier so, in both halves", gained);
      policy.reason.clear();
      now = with_best;
    }
    order_of_destage(record, model);
  } catch (const Error&) {  // explain() tells why
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
    return {absent(fmt::format("the model answers no requests: {}", error.what())), {}};
  }
}

}  // namespace platter::cache_probe
