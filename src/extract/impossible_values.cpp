#include "extract/impossible_values.h"

#include <fmt/format.h>

#include <cmath>

#include "model/parameters.h"

namespace platter::extract {
namespace {

// Beyond so many standard errors chance is no explanation.
constexpr double kBeyondChance = 4;

bool is_time_of_work(const model::NamedParameter& named) {
  // Settling may overlap with other work, and an inward seek may be the faster one.
  return named.parameter.unit == "ms" && named.path != "write_settle" &&
         named.path != "inward_seek_delta";
}

std::string below_zero(const model::NamedParameter& named) {
  const double value = *named.parameter.value;
  const double error = named.parameter.error.value_or(0);
  const bool chance = error > 0 && -value < kBeyondChance * error;
  return fmt::format("{} came out as {:.4f} +- {:.4f} ms, below zero: {}", named.path, value, error,
                     chance ? "it is too short to be told from zero"
                            : "part of it overlaps with what was taken off, so that only the sum is "
                              "right");
}

}  // namespace

std::vector<std::string> times_below_zero(const model::DriveModel& model) {
  std::vector<std::string> sentences;
  for (const model::NamedParameter& named : model::parameters_of(model))
    if (named.parameter && *named.parameter.value < 0 && is_time_of_work(named))
      sentences.push_back(below_zero(named));
  return sentences;
}

std::vector<std::string> impossible_values(const model::DriveModel& model) {
  std::vector<std::string> notes = times_below_zero(model);
  // The worst pair tells enough: a drive's curve may well fall a little at a change of its law.
  const model::SeekPoint* longest = nullptr;
  const model::SeekPoint *worst = nullptr, *shorter = nullptr;
  double most = kBeyondChance;
  for (const model::SeekPoint& point : model.seek.points) {
    if (longest != nullptr) {
      const double error = std::hypot(point.error_ms.value_or(0), longest->error_ms.value_or(0));
      if (error > 0 && longest->time_ms - point.time_ms > most * error) {
        most = (longest->time_ms - point.time_ms) / error;
        worst = &point;
        shorter = longest;
      }
    }
    if (longest == nullptr || point.time_ms > longest->time_ms) longest = &point;
  }
  if (worst != nullptr)
    notes.push_back(
        fmt::format("a seek over {} cylinders took {:.3f} ms, {:.3f} ms less than one over {}: {:.0f} "
                    "standard errors",
                    worst->cylinders, worst->time_ms, shorter->time_ms - worst->time_ms,
                    shorter->cylinders, most));
  return notes;
}

}  // namespace platter::extract
