// Two models compared on what may be learned from: request by request, with the error of it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "calibrate/measurement.h"
#include "model/drive_model.h"

namespace platter::calibrate {

constexpr std::size_t kStretches = 20;  // of what may be learned from
constexpr double kHeldOut = 2;  // standard errors that a fit must gain where it was not made

// Mean absolute differences of the response times, ms, of each stretch.
using Differences = std::array<double, kStretches>;

std::size_t stretch_of(Range learn, std::size_t request);

// nullopt: such a model makes no sense, or the engine does not run it.
std::optional<Differences> differences(const model::DriveModel& model, const Measurement& measured);

double mean(const Differences& differences);

// By how much the second is nearer to the drive, paired over the stretches, and its standard error.
struct Gain {
  double mean = 0, error = 0;
};
Gain gain_of(const Differences& before, const Differences& after);

}  // namespace platter::calibrate
