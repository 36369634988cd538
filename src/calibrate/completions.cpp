#include "calibrate/completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/stand_ins.h"

namespace platter::calibrate {
namespace {

using O = model::Overheads;
constexpr double kAgree = 3;            // standard errors
constexpr double kModelling_ms = 0.03;  // beside them
constexpr double kLeastError_ms = 0.005;

// What a hit that carries on takes less.
double least_carrying_on(const model::Overheads& overheads, bool write) {
  return std::min(0.0, acting(overheads, write ? overheads.sequential_write_hit_delta
                                               : overheads.sequential_read_hit_delta)
                           .value);
}

}  // namespace

const std::vector<CommandOverhead>& overheads_of(bool write) {
  static const std::vector<CommandOverhead> reads = {
      {"overheads.read_hit_after_read", &O::read_hit_after_read},
      {"overheads.read_hit_after_write", &O::read_hit_after_write},
      {"overheads.read_miss_after_read", &O::read_miss_after_read},
      {"overheads.read_miss_after_write", &O::read_miss_after_write}};
  static const std::vector<CommandOverhead> writes = {
      {"overheads.write_hit_after_read", &O::write_hit_after_read},
      {"overheads.write_hit_after_write", &O::write_hit_after_write},
      {"overheads.write_miss_after_read", &O::write_miss_after_read},
      {"overheads.write_miss_after_write", &O::write_miss_after_write}};
  return write ? writes : reads;
}

CommandOverhead completion_of(bool write) {
  return write ? CommandOverhead{"overheads.write_completion", &O::write_completion}
               : CommandOverhead{"overheads.read_completion", &O::read_completion};
}

double least_in_front(const model::Overheads& overheads, bool write) {
  double least = 0;
  const double carries_on = least_carrying_on(overheads, write);
  for (std::size_t kind = 0; kind < overheads_of(write).size(); ++kind)
    least = std::min(least, acting(overheads, overheads.*overheads_of(write)[kind].field) +
                                acting(overheads, overheads.per_request) +
                                (kind < 2 ? carries_on : 0));
  return least;
}

void move_behind_media(model::Overheads& overheads, bool write) {
  const double least = least_in_front(overheads, write);
  if (least == 0) return;
  const auto add = [&overheads](model::Parameter& parameter, double more) {
    parameter.value = acting(overheads, parameter) + more;
    if (parameter.unit.empty()) parameter.unit = "ms";
  };
  for (const CommandOverhead& command : overheads_of(write)) add(overheads.*command.field, -least);
  add(overheads.*completion_of(write).field, least);
}

void raise_to_nothing(model::Overheads& overheads, bool write) {
  const double carries_on = least_carrying_on(overheads, write);
  for (std::size_t kind = 0; kind < overheads_of(write).size(); ++kind) {
    model::Parameter& parameter = overheads.*overheads_of(write)[kind].field;
    const double nothing = 0 - acting(overheads, overheads.per_request) -
                           (kind < 2 ? carries_on : 0);
    if (acting(overheads, parameter) < nothing) parameter.value = nothing;
  }
}

std::optional<statistics::Estimate> shared_constant(const model::Overheads& original,
                                                    const model::Overheads& calibrated,
                                                    bool write) {
  const auto total = [&](const model::Overheads& overheads, std::size_t kind) {
    return acting(overheads, overheads.*overheads_of(write)[kind].field) +
           acting(overheads, overheads.*completion_of(write).field);
  };
  struct Difference {
    double value, error;
  };
  std::vector<Difference> differences;
  bool hits = false, misses = false;
  statistics::Estimate shared;
  double weights = 0;
  for (std::size_t kind = 0; kind < overheads_of(write).size(); ++kind) {
    const model::Parameter& now = calibrated.*overheads_of(write)[kind].field;
    if (now.method != kMethod || !now.error) continue;
    (kind < 2 ? hits : misses) = true;
    const double error = std::max(*now.error, kLeastError_ms), weight = 1 / (error * error);
    differences.push_back({total(calibrated, kind) - total(original, kind), error});
    shared.value += weight * differences.back().value;
    shared.samples += now.samples;
    weights += weight;
  }
  if (!hits || !misses) return std::nullopt;
  shared.value /= weights;
  shared.error = 1 / std::sqrt(weights);
  for (const Difference& one : differences)
    if (std::abs(one.value - shared.value) > kAgree * std::hypot(one.error, kModelling_ms))
      return std::nullopt;
  if (std::abs(shared.value) <= kAgree * shared.error) return std::nullopt;
  return shared;
}

std::vector<std::string> negative_totals(const model::Overheads& overheads) {
  std::vector<std::string> sentences;
  for (const bool write : {false, true})
    for (const CommandOverhead& command : overheads_of(write)) {
      const double total = acting(overheads, overheads.*command.field) +
                           acting(overheads, overheads.*completion_of(write).field) +
                           acting(overheads, overheads.per_request) +
                           acting(overheads, overheads.data_preparation);
      if (total < 0)
        sentences.push_back(
            fmt::format("{} and {} are {:.3f} ms together, less than no time; the result's times "
                        "leave out a part "
                        "of the command, or the model's bus is too slow",
                        command.name, completion_of(write).name, total));
    }
  return sentences;
}

}  // namespace platter::calibrate
