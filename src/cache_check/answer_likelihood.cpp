#include "cache_check/answer_likelihood.h"

#include <algorithm>
#include <random>

#include "cache_check/lookup_delay.h"
#include "model/stand_ins.h"

namespace platter::cache_check {
namespace {

// Chosen: a drive may answer anything now and then, whatever the model says; so no answer of one
// request decides more than 1 to 49.
constexpr double kAstray = 0.02;  // share of the answers
// Chosen: with 24 draws the shares are known to 0.1, and a check takes no longer than its probes.
constexpr int kOtherDraws = 24;
// Of hits, and of misses, before the first draw: between Haldane's prior (0) and Jeffreys' (0.5).
constexpr double kBefore = 0.2;

bool draws_at_random(const model::DriveModel& model) {
  return model::acting(model.cache, model.cache.replacement) ==
         static_cast<double>(model::Replacement::random);
}

Likelihood likelihood(const ModelAnswers& answers, const Responses& responses,
                      const std::vector<double>& by_chance) {
  Likelihood sum;
  std::size_t half = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Observation& seen = answers.seen(i);
    if (seen.exercise == Exercise::elsewhere) half = 1 - half;
    if (!judged_by_hits(seen)) continue;
    const Predicted answer = predicted(answers, i, responses);
    double hits = answer == Predicted::hit ? 1 : answer == Predicted::miss ? 0 : 0.5;
    if (!by_chance.empty()) hits = by_chance[i];
    hits = std::clamp(hits, kAstray, 1 - kAstray);
    sum.each.push_back(std::log(hits * std::exp(responses.log_ratio(seen)) + 1 - hits));
    sum.half[half] += sum.each.back();
  }
  return sum;
}

}  // namespace

bool exercised(const Record& record) { return exercises(record) > 0; }

std::uint64_t exercises(const Record& record) {
  return static_cast<std::uint64_t>(
      std::ranges::count(record.observations, Question::exercise, &Observation::question));
}

bool judged_by_hits(const Observation& seen) {
  return seen.exercise != Exercise::setup && seen.exercise != Exercise::burst;
}

Predicted predicted(const ModelAnswers& answers, std::size_t i, const Responses& responses) {
  const double ratio = answers.log_ratio(i, responses);
  return ratio > kStrong ? Predicted::hit : ratio < -kStrong ? Predicted::miss : Predicted::neither;
}

std::vector<double> hits_by_chance(const Record& record, const model::DriveModel& model,
                                   const Responses& responses, const TimeNoise& noise) {
  std::vector<double> hits;
  std::mt19937_64 random;
  for (int draws = 1; draws <= kOtherDraws; ++draws) {
    const ModelAnswers other(record, with_other_delay(model, random), draws, noise);
    hits.resize(other.size(), kBefore);
    for (std::size_t i = 0; i < other.size(); ++i) hits[i] += other.log_ratio(i, responses) > 0;
  }
  for (double& share : hits) share /= kOtherDraws + 2 * kBefore;
  return hits;
}

Likelihood likelihood(const Record& record, const model::DriveModel& model,
                      const Responses& responses) {
  std::vector<double> by_chance;
  if (draws_at_random(model)) by_chance = hits_by_chance(record, model, responses, {});
  return likelihood(ModelAnswers(record, model), responses, by_chance);
}

Likelihood likelihood_in_noise(const Record& record, const model::DriveModel& model,
                               const Responses& responses) {
  const ModelAnswers answers(record, model);
  return likelihood(answers, responses,
                    hits_by_chance(record, model, responses, answers.time_noise(responses)));
}

}  // namespace platter::cache_check
