#include <fmt/core.h>

#include <memory>
#include <variant>

#include "emit/disksim/import_parts.h"

namespace platter::emit_disksim {
namespace {

constexpr const char* kMethod = "imported";

void set(model::Parameter& parameter, double value) {
  parameter.value = value;
  parameter.method = kMethod;
}

// The figure that the program acts by; the word of the file is kept.
void take_as_run(const Rule& rule, const Told& told, model::DriveModel& model) {
  model::Cache& cache = model.cache;
  const auto keep = [&] { model.disksim.push_back({rule.parameter, told.of(rule.parameter)}); };
  const auto instead = [&](model::Parameter& figure, double value) {
    set(figure, value);
    keep();
  };
  switch (rule.id) {
    case RuleId::ahead_bound:
      return instead(cache.read_ahead_max_blocks, 0);
    case RuleId::free_blocks:
      return instead(cache.read_free_blocks, 0);
    case RuleId::zero_latency_read:
      return instead(cache.zero_latency_read, 0);
    case RuleId::zero_latency_write:
      return instead(cache.zero_latency_write, 0);
    case RuleId::other_reselect:
      model.overheads.other_reselect = model.overheads.first_reselect;
      return keep();
    case RuleId::ahead_behind_any:  // which the model does at its word
    case RuleId::stops:
      return;
  }
}

void take_as_meant(const Rule& rule, model::DriveModel& model) {
  if (rule.id == RuleId::ahead_behind_any) set(model.cache.read_ahead_after_sequential, 1);
}

std::string note_of(const Rule& rule, const Told& told, Reading reading) {
  const bool run = reading == Reading::run;
  std::string text = fmt::format("{} = {} is taken as {}: DiskSim {}, its manual says: {}",
                                 rule.parameter, told.of(rule.parameter),
                                 run ? "DiskSim runs it" : "it is meant", rule.cmu4.words,
                                 rule.manual);
  text += reading == rule.takes
              ? fmt::format(" ({}; --as {} takes it otherwise)", rule.why, run ? "meant" : "run")
              : fmt::format(" (--as {})", run ? "run" : "meant");
  return text;
}

}  // namespace

Told told_by(const Block& disk) {
  Told told;
  for (const NamedValue& one : disk.values) {
    const auto& data = one.value.data;
    if (const auto* const whole = std::get_if<std::int64_t>(&data))
      told.values[one.name] = static_cast<double>(*whole);
    if (const auto* const real = std::get_if<double>(&data)) told.values[one.name] = *real;
    const auto* const block = std::get_if<std::shared_ptr<const Block>>(&data);
    if (one.name != "Model" || block == nullptr) continue;
    for (const NamedValue& part : (*block)->values)
      if (const auto* const inner = std::get_if<std::shared_ptr<const Block>>(&part.value.data);
          part.name == "Layout Model" && inner != nullptr)
        told.layout = (*inner)->type;
  }
  return told;
}

void take_as(TakenAs taken_as, const Told& told, model::DriveModel& model) {
  for (const Rule& rule : rules()) {
    if (!rule.has_two_readings() || !rule.holds(told)) continue;
    const Reading reading = taken_as == TakenAs::meant ? Reading::meant
                            : taken_as == TakenAs::run ? Reading::run
                                                       : rule.takes;
    if (reading == Reading::run)
      take_as_run(rule, told, model);
    else
      take_as_meant(rule, model);
    model.provenance.notes.push_back(note_of(rule, told, reading));
  }
}

}  // namespace platter::emit_disksim
