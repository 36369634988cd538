#include "calibrate/gain.h"

#include <cmath>

#include "model/error.h"
#include "model/interruption.h"
#include "model/validate.h"
#include "statistics/robust.h"

namespace platter::calibrate {

std::size_t stretch_of(Range learn, std::size_t request) {
  return (request - learn.begin) * kStretches / learn.size();
}

std::optional<Differences> differences(const model::DriveModel& model,
                                       const Measurement& measured) {
  Differences sums{};
  replay::Result result;
  try {
    model::validate(model, "a candidate");
    result = measured.replay_learned(model);
  } catch (const Error& error) {
    let_interruptions_pass(error);
    return std::nullopt;
  }
  const Range learn = measured.learn();
  for (std::size_t i = learn.begin; i < learn.end; ++i) {
    const Nanoseconds apart = result.requests[i].response_ns -
                              measured.drive().requests[i].response_ns;
    sums[stretch_of(learn, i)] += std::abs(to_ms(apart));
  }
  for (double& sum : sums)
    sum *= static_cast<double>(kStretches) / static_cast<double>(learn.size());
  return sums;
}

double mean(const Differences& differences) {
  double sum = 0;
  for (const double x : differences) sum += x / kStretches;
  return sum;
}

Gain gain_of(const Differences& before, const Differences& after) {
  const statistics::Estimate gain = statistics::mean_difference(before, after);
  return {gain.value, gain.error};
}

}  // namespace platter::calibrate
