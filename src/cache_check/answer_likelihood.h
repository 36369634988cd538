// How likely a model makes what the drive answered to the exercise (requests of all kinds in random
// order). What policies are chosen by, and what the answers are held against. Pure.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cache_check/model_answers.h"

namespace platter::cache_check {

bool exercised(const Record& record);
std::uint64_t exercises(const Record& record);  // requests of it

// Setups are not judged, and bursts by their times alone.
bool judged_by_hits(const Observation& seen);

// What the model answers is a hit or a miss where it is ten times likelier the one than the other
// ("strong": Jeffreys, Theory of Probability, 1961, appendix B), by how long the drive's own take.
enum class Predicted : std::uint8_t { hit, miss, neither };
Predicted predicted(const ModelAnswers& answers, std::size_t i, const Responses& responses);

// How likely each request is a hit where the model's random choices are others, the delay before
// the cache is looked into is off by its error, and the times are off by `noise`.
std::vector<double> hits_by_chance(const Record& record, const model::DriveModel& model,
                                   const Responses& responses, const TimeNoise& noise);

// Logarithms of factors by which evidence convinces: Jeffreys, as above.
inline const double kStrong = std::log(10.0), kDecisive = std::log(100.0);

// log(P(answers | model) / P(answers | all miss)), of each half of the answers. A read elsewhere
// begins the other half, so what follows it up to the next is of one half.
struct Likelihood {
  std::array<double, 2> half{};
  std::vector<double> each{};  // of each answer

  double all() const { return half[0] + half[1]; }
  // By each half, whatever the other one says.
  bool proves(const Likelihood& over, double factor_log) const {
    return half[0] - over.half[0] > factor_log && half[1] - over.half[1] > factor_log;
  }
};
Likelihood likelihood(const Record& record, const model::DriveModel& model,
                      const Responses& responses);
// The same with the times off as the drive's are: answers that hang on a few microseconds say
// little.
Likelihood likelihood_in_noise(const Record& record, const model::DriveModel& model,
                               const Responses& responses);

}  // namespace platter::cache_check
