#include "extract/impossible_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/fields.h"
#include "model/parameters.h"
#include "model/validate.h"

namespace platter::extract {
namespace {

// Beyond so many standard errors chance is no explanation.
constexpr double kBeyondChance = 4;

bool is_time_of_work(const model::NamedParameter& named) {
  // Settling may overlap with other work, and an inward seek may be the faster one.
  return named.parameter.unit == "ms" && named.path != "write_settle" &&
         named.path != "inward_seek_delta";
}

// Why a time is below zero.
std::string why_below_zero(const model::Parameter& parameter) {
  const double value = *parameter.value;
  const double error = parameter.error.value_or(0);
  const bool chance = error > 0 && -value < kBeyondChance * error;
  return chance ? "it is too short to be measured"
                : "part of it overlaps with what was taken off, so that only the sum is right";
}

std::string below_zero(const model::NamedParameter& named) {
  const model::Parameter& time = named.parameter;
  return fmt::format("{} came out as {:.4f} +- {:.4f} ms, below zero: {}", named.path, *time.value,
                     time.error.value_or(0), why_below_zero(time));
}

// ---------------------------------------------------------------- what no model can hold

// The parameter of that name in a section of the model.
struct Finder {
  std::string_view name;
  model::Parameter*& found;

  void usual(const char* field, auto& member) const {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, model::Parameter>)
      if (name == field) found = &member;
  }
  void required(const char*, auto&) const {}
  void compact(const char*, auto&, const auto&) const {}
  void informative(const char*, const auto&) const {}
};

model::Parameter* parameter_at(model::DriveModel& model, std::string_view path) {
  model::Parameter* found = nullptr;
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) {
    visit_fields(model, Finder{path, found});
    return found;
  }
  const std::string_view section = path.substr(0, dot);
  const Finder finder{path.substr(dot + 1), found};
  if (section == "rotation") visit_fields(model.rotation, finder);
  if (section == "layout") visit_fields(model.layout, finder);
  if (section == "cache") visit_fields(model.cache, finder);
  if (section == "overheads") visit_fields(model.overheads, finder);
  if (section == "bus") visit_fields(model.bus, finder);
  if (section == "queue") visit_fields(model.queue, finder);
  return found;
}

std::string as_measured(const model::Parameter& parameter) {
  std::string text = fmt::format("measured as {:.5g}", *parameter.value);
  if (parameter.error) text += fmt::format(" +- {:.2g}", *parameter.error);
  return text + (parameter.unit.empty() ? "" : " ") + parameter.unit;
}

std::string take_out(model::Parameter& parameter, const model::InvalidModel& invalid) {
  if (!parameter.value) {  // it is its error, its bounds or a guess
    parameter = model::absent(parameter.reason, parameter.unit);
    return invalid.path() + " " + invalid.fault();
  }
  const bool time_below_zero = parameter.unit == "ms" && *parameter.value < 0;
  const std::string fault = invalid.fault().substr(0, invalid.fault().find(", not "));
  const std::string reason =
      time_below_zero
          ? fmt::format("{}, below zero: {}", as_measured(parameter), why_below_zero(parameter))
          : fmt::format("{}, which cannot be: it {}", as_measured(parameter), fault);
  parameter = model::absent(reason, parameter.unit);
  return invalid.path() + " was " + reason;
}

// The number in "points[12].time_ms", if it is that of an element.
template <class T>
bool erase_element(std::vector<T>& list, std::string_view path, std::string_view name) {
  if (!path.starts_with(name) || path.size() <= name.size() || path[name.size()] != '[')
    return false;
  std::size_t index = list.size();
  std::from_chars(path.data() + name.size() + 1, path.data() + path.size(), index);
  if (index >= list.size()) return false;
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

bool take_element(model::DriveModel& model, std::string_view path, const std::string& why) {
  if (erase_element(model.validity.demerits, path, "validity.demerits")) return true;
  if (erase_element(model.disksim, path, "disksim")) return true;
  if (erase_element(model.seek.points, path, "seek.points")) {
    if (model.seek.points.empty()) model.seek.reason = why;
    return true;
  }
  for (auto [curve, name] : {std::pair(&model.outward_seek, std::string_view("outward_seek")),
                             std::pair(&model.write_seek, std::string_view("write_seek"))}) {
    if (!path.starts_with(name) || !*curve) continue;
    const bool erased = erase_element((*curve)->points, path, std::string(name) + ".points");
    if (!erased || (*curve)->points.empty()) curve->reset();
    return true;
  }
  return false;
}

void make_a_number(double& seconds) {
  if (!std::isfinite(seconds) || seconds < 0) seconds = 0;
}

void take_out_places(model::DriveModel& model, const std::string& why) {
  model.layout = {};
  model.layout.reason = why;
  model.identity.heads = model.identity.cylinders = 0;
}

// What the drive says of itself, as much of it as can be.
void take_out_of(model::Identity& identity, std::string_view path) {
  constexpr std::uint32_t kUsual = 512;
  if (path == "identity.blocks") identity.blocks = 0;
  if (path == "identity.blocks" || path.starts_with("identity.zone_runs"))
    identity.zone_runs.clear();
  if (path == "identity.block_bytes") identity.block_bytes = kUsual;
  if (path == "identity.physical_block_bytes") identity.physical_block_bytes = identity.block_bytes;
  if (path == "identity.heads") identity.heads = 0;
  if (path == "identity.cylinders") identity.cylinders = 0;
}

void take_out_of(model::Validity& validity) {
  validity.first_lbn = validity.last_lbn = 0;
  validity.min_blocks = validity.max_blocks = 0;
}

void take_out_of(model::Provenance& provenance) {
  make_a_number(provenance.drive_seconds);
  make_a_number(provenance.wall_seconds);
  for (model::StageTime& stage : provenance.stages) make_a_number(stage.drive_seconds);
}

void take_out_section(model::DriveModel& model, std::string_view path, const std::string& why) {
  const std::string_view section = path.substr(0, path.find_first_of(".["));
  const bool map_is_too_small = path == "identity.blocks" &&
                                model.identity.blocks <= model::kMostSlots;
  if (section == "layout" || map_is_too_small) {
    take_out_places(model, why);
  } else if (section == "rotation") {
    model.rotation = {};
    model.rotation.period = model::absent(why, "ns");
  } else if (section == "identity") {
    take_out_of(model.identity, path);
  } else if (section == "provenance") {
    take_out_of(model.provenance);
  } else if (section == "validity") {
    take_out_of(model.validity);
  } else if (section == "cache") {
    std::erase_if(model.cache.freedoms, [](const model::CacheFreedom& freedom) {
      return freedom.effect != "seen" && freedom.effect != "none" && freedom.effect != "not told";
    });
  } else if (section == "delay_spread") {
    model.delay_spread.reset();
  } else if (section == "kernel_share") {
    model.kernel_share.reset();
  } else if (section == "arms") {
    model.arms.reset();
  } else if (section == "shingling") {
    model.shingling.reset();
  } else if (section == "imperfections") {
    model.imperfections.reset();
  } else if (section == "firmware") {
    model.firmware.reset();
  }
}

}  // namespace

model::Notes take_out_what_cannot_be(model::DriveModel& model) {
  model::Notes notes;
  std::string parameter_out, whole;  // what was last taken out, alone or as a whole
  for (;;) {
    try {
      model::validate(model, "the model");
      return notes;
    } catch (const model::InvalidModel& invalid) {
      if (model::Parameter* parameter = parameter_at(model, invalid.path())) {
        if (std::exchange(parameter_out, invalid.path()) == invalid.path())
          throw;  // it is still so
        notes.emplace_back(model::Code::impossible_value, take_out(*parameter, invalid),
                           invalid.path());
        continue;
      }
      const std::string why = fmt::format("{} {}, which cannot be", invalid.path(),
                                          invalid.fault());
      if (!take_element(model, invalid.path(), why)) {
        if (whole == invalid.path()) throw;  // it is still there
        whole = invalid.path();
        take_out_section(model, invalid.path(), why);
      }
      notes.emplace_back(model::Code::impossible_value, why + ": it was taken out", invalid.path());
    }
  }
}

std::vector<std::string> times_below_zero(const model::DriveModel& model) {
  std::vector<std::string> sentences;
  for (const model::NamedParameter& named : model::parameters_of(model))
    if (named.parameter && *named.parameter.value < 0 && is_time_of_work(named))
      sentences.push_back(below_zero(named));
  return sentences;
}

model::Notes impossible_values(model::DriveModel& model) {
  model::Notes notes = take_out_what_cannot_be(model);
  for (std::string& sentence : times_below_zero(model))
    notes.emplace_back(model::Code::time_below_zero, std::move(sentence));
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
    notes.emplace_back(
        model::Code::seek_falls,
        fmt::format("a seek over {} cylinders took {:.3f} ms, {:.3f} ms less than one over {}: "
                    "{:.0f} standard errors",
                    worst->cylinders, worst->time_ms, shorter->time_ms - worst->time_ms,
                    shorter->cylinders, most));
  return notes;
}

}  // namespace platter::extract
