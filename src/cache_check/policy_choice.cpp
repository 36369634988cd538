#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_check/answer_likelihood.h"
#include "cache_check/check.h"
#include "cache_check/lookup_delay.h"
#include "cache_probe/verdict.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/parameters.h"
#include "model/stand_ins.h"

namespace platter::cache_check {
namespace {

// Chosen: that blocks count as held is given up below this probability.
constexpr double kHardlyHeld = 0.1;
// Chosen: of two orders of destage the better one's error, as a share of the other's.
constexpr double kMuchBetter = 0.7;

using model::Cache;

struct Alternative {
  model::Parameter model::Cache::*policy;
  double value;
};
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

// In which order written data leave the cache, by the times of writes without pause.
void order_of_destage(const Record& record, model::DriveModel& model) {
  model::Parameter& order = model.cache.destage_order;
  if (order || model::acting(model, model.cache.destage_behind) == 0) return;
  model::DriveModel changed = model;
  const auto error_ms = [&](model::DestageOrder as) {
    changed.cache.destage_order.value = static_cast<double>(as);
    return ModelAnswers(record, changed).burst_error_ns() * 1e-6;
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

}  // namespace

void choose_lookup(const Record& record, model::DriveModel& model) {
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
                                 .proves(likelihood(record, model, responses), kStrong)) {
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
  } catch (const Error& error) {  // check_answers() says why
    let_interruptions_pass(error);
  }
}

void choose_open_policies(const Record& record, model::DriveModel& model) {
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
        if (!with.proves(now, alone ? kStrong : kDecisive) || with.all() <= with_best.all())
          continue;
        // Of the two only this one is tried here.
        if (alone && chance_of_delay_instead(record, model) > 0.5) continue;
        with_best = with;
        best = &other;
      }
      if (!best) break;
      const double gained = with_best.all() - now.all();
      model::Parameter& policy = model.cache.*best->policy;
      policy.value = best->value;
      policy.error = cache_probe::error_of_better(with_best.each, now.each);
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
  } catch (const Error& error) {  // check_answers() says why
    let_interruptions_pass(error);
  }
}

}  // namespace platter::cache_check
