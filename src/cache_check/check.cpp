#include "cache_check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_check/answer_likelihood.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/parameters.h"
#include "statistics/contradictions.h"

namespace platter::cache_check {
namespace {

using cache_probe::kExercises;
using model::absent;
using statistics::Contradictions;
using ByKind = std::array<Contradictions, kExercises>;

// All chosen.
constexpr std::uint64_t kFewestCompared = 40;  // answers
constexpr double kUsualNoise = 0.02;           // share of answers, worth kUsualWorth probes
constexpr double kUsualWorth = 25;
constexpr double kOddsNamed = 200;     // against what noise does
constexpr double kMostlyChance = 0.2;  // that the drive answers otherwise: such are not counted
constexpr double kWorthNaming = 0.1;   // of the answers of a kind

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

// Of one answer: that the drive says the other thing though the model is right.
class Noise {
 public:
  Noise(const Record& record, const model::DriveModel& model, const Responses& responses,
        const ModelAnswers& answers)
      : slow_if_hit_(share_misled(record, responses, true)),
        fast_if_miss_(share_misled(record, responses, false)),
        by_chance_(hits_by_chance(record, model, responses, answers.time_noise(responses))) {
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
      "the cache has a policy that the model lacks: {} of {} answers to requests in random "
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

Check judged(const Record& record, const model::DriveModel& model) {
  const ModelAnswers answers(record, model);
  const Responses responses(record);
  const Noise noise(record, model, responses, answers);
  ByKind kinds{};
  Contradictions all;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Observation& seen = answers.seen(i);
    if (!judged_by_hits(seen)) continue;
    const Predicted answer = predicted(answers, i, responses);
    if (answer == Predicted::neither) continue;
    const bool hit = answer == Predicted::hit;
    const double misled = noise.of(i, hit);
    if (misled > kMostlyChance) continue;
    const bool contradicts = responses.is_fast(seen) != hit;
    kinds[static_cast<std::size_t>(seen.exercise)].add(contradicts, misled);
    all.add(contradicts, misled);
  }
  Check result;
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
  if ((odds + all.odds()) / 2 > kOddsNamed)
    result.notes.emplace_back(model::Code::cache_unexplained, sentence(all, kinds));
  else
    result.open = !all.refuted();
  return result;
}

}  // namespace

Check check_answers(const Record& record, const model::DriveModel& model) {
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

}  // namespace platter::cache_check
