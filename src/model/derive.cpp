#include "model/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "model/completeness.h"
#include "model/error.h"
#include "model/fields.h"
#include "model/known.h"
#include "model/parameters.h"
#include "model/seek_curve.h"
#include "model/stand_ins.h"
#include "model/surfaces.h"
#include "model/validate.h"

namespace platter::model {
namespace {

using Kind = Change::Kind;

[[noreturn]] void fail(const Change& change, const std::string& what) {
  throw Error(ExitStatus::usage, change.text + ": " + what);
}

// ---------------------------------------------------------------- numbers

double changed(const Change& change, double value) {
  const double number = change.number.value();
  if (change.kind == Kind::multiply) return value * number;
  return value / number;
}

// Nanoseconds of a unit of time; 0 for what is none.
std::uint64_t nanoseconds_of(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  return 0;
}

void require_unit(const Change& change, const std::string& unit) {
  if (change.unit.empty() || change.unit == unit) return;
  if (nanoseconds_of(unit) > 0) {
    if (nanoseconds_of(change.unit) > 0) return;
    fail(change, fmt::format("{} is no time; give {} in {} (or in ns, us, ms or s, named)",
                             change.unit, change.path, unit));
  }
  fail(change, unit.empty()
                   ? fmt::format("{} is a plain number; leave out {}", change.path, change.unit)
                   : fmt::format("{} is in {}, not in {}", change.path, unit, change.unit));
}

// The value of a change, in the unit of what it changes.
double value_in(const Change& change, const std::string& unit) {
  require_unit(change, unit);
  if (change.unit.empty() || change.unit == unit) return change.number.value();
  return change.number.value() * static_cast<double>(nanoseconds_of(change.unit)) /
         static_cast<double>(nanoseconds_of(unit));
}

// ---------------------------------------------------------------- parameters

// Of a parameter that states none, because it has no value yet.
std::string usual_unit(const std::string& path) {
  if (path == "overheads.extra_write_disconnect") return "";
  if (path == "cache.destage_idle") return "ms";
  if (path.starts_with("overheads.") || path.find('.') == std::string::npos) return "ms";
  if (path.starts_with("bus.") && path.ends_with("_transfer")) return "ms";
  return path.starts_with("cache.") && path.ends_with("_blocks") && path != "cache.read_free_blocks"
             ? "blocks"
             : "";
}

Parameter derived(double value, const std::string& unit) {
  Parameter parameter;
  parameter.value = value;
  parameter.unit = unit;
  parameter.method = kDerivedMethod;
  return parameter;
}

std::string in_words(const Parameter& p) {
  if (const std::string instead = known_instead(p); !instead.empty()) return instead;
  if (!p) return "no value";
  return fmt::format("{:.10g}{}{}", *p.value, p.unit.empty() ? "" : " ", p.unit);
}

std::string change_parameter(Parameter& parameter, const Change& change) {
  const Parameter before = parameter;
  const std::string unit = before || !before.unit.empty() ? before.unit : usual_unit(change.path);
  if (change.kind != Kind::set && !before)
    fail(change, fmt::format("{0} has no value in the model that a factor could change; give one "
                             "({0}=VALUE)",
                             change.path));
  parameter = derived(
      change.kind == Kind::set ? value_in(change, unit) : changed(change, *before.value), unit);
  return fmt::format("{} was {}, is {}", change.path, in_words(before), in_words(parameter));
}

// ---------------------------------------------------------------- rotation

void multiply(const Change& change, std::uint64_t& numerator, std::uint64_t& denominator,
              std::uint64_t factor, std::uint64_t divisor) {
  const std::uint64_t up = std::gcd(factor, denominator), down = std::gcd(numerator, divisor);
  denominator /= up;
  numerator /= down;
  if (__builtin_mul_overflow(numerator, factor / up, &numerator) ||
      __builtin_mul_overflow(denominator, divisor / down, &denominator))
    fail(change, "needs a ratio of too many digits; give rotation.rpm with fewer");
}

// Kept as an exact ratio: a period is numerator / denominator ns.
std::string change_rotation(Rotation& rotation, const Change& change, bool rpm) {
  const auto number = static_cast<std::uint64_t>(std::max<std::int64_t>(change.number.mantissa, 0));
  const std::uint64_t scale = change.number.scale;
  if (number == 0) fail(change, "a disk turns; give a number above 0");
  require_unit(change, rpm ? "rpm" : "ns");
  const auto words = [&] {
    if (rotation.numerator_ns == 0) return std::string("not known");
    const double period = revolution_ns(rotation);
    return rpm ? fmt::format("{:.10g} rpm", 60e9 / period) : fmt::format("{:.10g} ns", period);
  };
  const std::string before = words();
  std::uint64_t numerator = rotation.numerator_ns, denominator = rotation.denominator;
  if (change.kind == Kind::set) {
    const std::uint64_t unit = change.unit.empty() ? 1 : nanoseconds_of(change.unit);
    numerator = rpm ? 60 * nanoseconds_of("s") : unit;
    denominator = 1;
  } else if (numerator == 0) {
    fail(change, "the model does not know the drive's rotation; give rotation.rpm=VALUE");
  }
  const bool longer = (change.kind == Kind::divide) == rpm;  // the period grows with the number
  if (longer)
    multiply(change, numerator, denominator, number, scale);
  else
    multiply(change, numerator, denominator, scale, number);
  rotation.numerator_ns = numerator;
  rotation.denominator = denominator;
  rotation.period = derived(static_cast<double>(numerator) / static_cast<double>(denominator),
                            "ns");
  return fmt::format("{} was {}, is {}; angles and skews are what they were", change.path, before,
                     words());
}

// ---------------------------------------------------------------- seek curve

void require_factor(const Seek& seek, const Change& change) {
  if (seek.points.empty()) fail(change, "the model has no seek curve");
  if (change.kind == Kind::set)
    fail(change, fmt::format("a curve takes a factor ({}=xFACTOR or {}=/FACTOR)", change.path,
                             change.path));
}

std::string change_seek_times(Seek& seek, const Change& change) {
  require_factor(seek, change);
  for (SeekPoint& point : seek.points)
    point = {point.cylinders, changed(change, point.time_ms), std::nullopt, 0};
  seek.method = kDerivedMethod;
  return "all times of the seek curves";
}

// The arm gets so many times as far in the same time. Seeks shorter than what was one cylinder take
// as long as that did: there is no telling how they would be faster.
std::string change_seek_distances(Seek& seek, const Change& change) {
  require_factor(seek, change);
  if (change.number.mantissa == 0) fail(change, "a factor above 0 is needed");
  const Seek source = seek;
  const double one = changed(change, 1);
  const double shortest = seek_time_ms(source, 1);
  seek.points.clear();
  const auto add = [&](double distance) {
    if (!(distance < kMostCylinders)) fail(change, "makes distances that no drive has");
    const auto cylinders = static_cast<std::uint32_t>(std::max(1.0, std::round(distance)));
    if (!seek.points.empty() && cylinders <= seek.points.back().cylinders) return;
    const double before = cylinders / one;
    seek.points.push_back(
        {cylinders, before < 1 ? shortest : seek_time_ms(source, before), std::nullopt, 0});
  };
  if (one > 1) add(1);
  for (const SeekPoint& point : source.points) add(changed(change, point.cylinders));
  seek.method = kDerivedMethod;
  return "all distances of the seek curves";
}

// Of reads, outward and of writes alike.
std::string change_all_seeks(DriveModel& model, const Change& change,
                             std::string (*change_one)(Seek&, const Change&)) {
  std::string what = change_one(model.seek, change);
  for (std::optional<Seek>* seek : {&model.outward_seek, &model.write_seek})
    if (*seek) change_one(**seek, change);
  return what;
}

// ---------------------------------------------------------------- surfaces

std::string change_heads(DriveModel& model, const Change& change) {
  require_unit(change, "");
  const std::uint32_t before = model.identity.heads;
  const double wanted = change.kind == Kind::set ? change.number.value() : changed(change, before);
  if (!(wanted >= 1 && wanted <= kMostHeads) || wanted != std::floor(wanted))
    fail(change, fmt::format("makes {:.10g} heads; a whole number from 1 to {} is needed", wanted,
                             kMostHeads));
  try {
    set_heads(model, static_cast<std::uint32_t>(wanted));
  } catch (const Error& error) {
    fail(change, error.what());
  }
  model.layout.method = kDerivedMethod;
  model.layout.angle = model.layout.heads = model.layout.cylinders = {};
  model.layout.angle.unit = "rev";
  model.layout.angle.reason = "derived: no error is stated for the angles";
  return fmt::format("{} was {}, is {}; skews from track to track are what they were", change.path,
                     before, model.identity.heads);
}

// ---------------------------------------------------------------- the model

std::string apply(DriveModel& model, const Change& change) {
  if (change.path == "rotation.rpm") return change_rotation(model.rotation, change, true);
  if (change.path == "rotation.period") return change_rotation(model.rotation, change, false);
  if (change.path == "seek" || change.path == "seek.time_ms")
    return change_all_seeks(model, change, change_seek_times);
  if (change.path == "seek.cylinders")
    return change_all_seeks(model, change, change_seek_distances);
  if (change.path == "identity.heads") return change_heads(model, change);
  if (Parameter* parameter = find_parameter(model, change.path)) {
    const double settle_ms = acting(model, model.write_settle);
    std::string what = change_parameter(*parameter, change);
    // Writes behind seeks settle longer by as much.
    if (parameter == &model.write_settle && model.write_seek) {
      for (SeekPoint& point : model.write_seek->points)
        point.time_ms = std::max(0.0,
                                 point.time_ms + acting(model, model.write_settle) - settle_ms);
      model.write_seek->method = kDerivedMethod;
      what += "; all times of write_seek by as much";
    }
    return what;
  }
  fail(change,
       fmt::format("{} is nothing that can be changed; it can be a path that platter show MODEL "
                   "--json lists, rotation.rpm, identity.heads, seek.time_ms or seek.cylinders",
                   change.path));
}

// FNV-1a; names a hypothetical drive by what it was made of, so that it is another one than the
// drive it comes from and than its brothers.
std::uint32_t fingerprint(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

void name_drive(Identity& identity, const std::vector<Change>& changes, const std::string& name) {
  std::string making = identity.serial;
  for (const Change& change : changes) making += "\n" + change.text;
  identity.serial = fmt::format("DERIVED-{:08X}", fingerprint(making));
  if (!name.empty()) {
    identity.name = name;
  } else if (!identity.name.starts_with("hypothetical ")) {
    const std::string model_name = identity.name.empty() ? identity.vendor + " " + identity.product
                                                         : identity.name;
    identity.name = "hypothetical " + model_name;
  }
}

// The source's notes and findings go along, but for those that tell whose drive it was.
Provenance provenance_of(const DriveModel& source, const std::string& origin) {
  Provenance provenance;
  provenance.method = kDerivedMethod;
  provenance.source = origin;
  provenance.notes.push_back(fmt::format(
      "a hypothetical drive, derived from {} ({}), never measured; changes in their order:", origin,
      source.provenance.method));
  return provenance;
}

void add_source_notes(const DriveModel& source, Provenance& provenance) {
  const std::string& serial = source.identity.serial;
  const auto tells_whose = [&serial](const std::string& text) {
    return !serial.empty() && text.find(serial) != std::string::npos;
  };
  for (const std::string& note : source.provenance.notes)
    if (!tells_whose(note)) provenance.notes.push_back("of the source: " + note);
  for (const Finding& finding : source.provenance.findings)
    if (!tells_whose(finding.text)) provenance.findings.push_back(finding);
}

}  // namespace

DriveModel derive(const DriveModel& source, const std::string& origin,
                  const std::vector<Change>& changes, const std::string& name) {
  DriveModel model = source;
  model.validity = {};
  model.validity.note =
      "derived, not validated: nothing that was found of the source holds for this model";
  model.provenance = provenance_of(source, origin);
  for (const Change& change : changes) {
    model.provenance.notes.push_back(fmt::format("{}: {}", change.text, apply(model, change)));
    try {
      validate(model, change.text);
    } catch (const Error& error) {
      throw Error(ExitStatus::usage, error.what());
    }
  }
  add_source_notes(source, model.provenance);
  name_drive(model.identity, changes, name);
  return model;
}

}  // namespace platter::model
