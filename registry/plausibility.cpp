#include "registry/plausibility.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/quality.h"
#include "model/validate.h"

namespace platter::registry {
namespace {

using model::DriveModel;
using model::Seek;
using model::SeekPoint;

constexpr double kErrors = 3;            // so many standard errors are within chance
constexpr double kWholeNs = 0.5;         // a period rounded to whole ns
constexpr double kWholeRpm = 0.5;        // a speed for people, rounded to whole turns
constexpr double kLeastUsualRpm = 3000;  // of disk drives of all times
constexpr double kMostUsualRpm = 15600;
constexpr double kFallShare = 0.05;  // of the full stroke

struct Curve {
  const char* name;
  const Seek* seek;
};

std::vector<Curve> curves_of(const DriveModel& model) {
  std::vector<Curve> curves;
  const auto add = [&](const char* name, const Seek& seek) {
    if (!seek.points.empty()) curves.push_back({name, &seek});
  };
  add("seek", model.seek);
  if (model.outward_seek) add("outward_seek", *model.outward_seek);
  if (model.write_seek) add("write_seek", *model.write_seek);
  return curves;
}

using Broken = std::optional<std::string>;

Broken seek_order(const DriveModel& model, const Evidence&) {
  for (const Curve& curve : curves_of(model)) {
    const SeekPoint& least = curve.seek->points.front();
    const SeekPoint& full = curve.seek->points.back();
    const double error_ms = std::hypot(least.error_ms.value_or(0), full.error_ms.value_or(0));
    if (full.time_ms >= least.time_ms - kErrors * error_ms) continue;
    return fmt::format(
        "{} takes {} ms over {} cylinders, less than the {} ms over {}; measure the seeks again",
        curve.name, full.time_ms, full.cylinders, least.time_ms, least.cylinders);
  }
  return {};
}

Broken seek_positive(const DriveModel& model, const Evidence&) {
  for (const Curve& curve : curves_of(model)) {
    for (const SeekPoint& point : curve.seek->points) {
      if (point.time_ms > 0) continue;
      return fmt::format("{} takes {} ms over {} cylinders; measure the seeks again", curve.name,
                         point.time_ms, point.cylinders);
    }
  }
  return {};
}

Broken rotation_agrees(const DriveModel& model, const Evidence& evidence) {
  const model::Rotation& rotation = model.rotation;
  if (rotation.numerator_ns == 0) return {};
  const double exact_ns = model::revolution_ns(rotation);
  const double error_ns = rotation.period.error.value_or(0);
  if (rotation.period.value &&
      std::abs(*rotation.period.value - exact_ns) > kWholeNs + kErrors * error_ns) {
    return fmt::format(
        "rotation.period is {} ns, numerator_ns / denominator {:.3f} ns; correct one of them",
        *rotation.period.value, exact_ns);
  }
  const double rpm = 60e9 / exact_ns;
  const double rpm_error = rpm * error_ns / exact_ns;
  if (evidence.stated_rpm &&
      std::abs(*evidence.stated_rpm - rpm) > kWholeRpm + kErrors * rpm_error) {
    return fmt::format(
        "rotation.rpm is {}, numerator_ns / denominator make {:.1f}; correct one of them",
        *evidence.stated_rpm, rpm);
  }
  return {};
}

// A map is exact where the drive was asked for the place of every block. One that was imported or
// derived may keep back blocks (docs/model.md), one by timing states shares of its blocks, and a
// stretch that was not understood claims nothing.
bool map_is_exact(const DriveModel& model) {
  const model::Layout& layout = model.layout;
  return model.provenance.method == "characterized" && layout.method == "address translation" &&
         layout.not_understood.empty() && !layout.timed && !layout.zones.empty();
}

Broken capacity(const DriveModel& model, const Evidence&) {
  if (!map_is_exact(model)) return {};
  const std::uint64_t mapped = model::count_blocks(model.layout);
  if (mapped == model.identity.blocks) return {};
  return fmt::format(
      "identity.blocks is {}, the zones less skipped sectors hold {}; measure the layout again",
      model.identity.blocks, mapped);
}

Broken half_revolution(const DriveModel& model, const Evidence& evidence) {
  if (!evidence.delay || evidence.delay->accesses == 0 || model.rotation.numerator_ns == 0)
    return {};
  const double half_ns = model::revolution_ns(model.rotation) / 2;
  const RotationalDelay& delay = *evidence.delay;
  if (std::abs(delay.mean_ns - half_ns) <= kErrors * delay.error_ns) return {};
  return fmt::format(
      "its samples have a mean rotational delay of {:.3f} +- {:.3f} ms in {} accesses, half a "
      "revolution is {:.3f} ms; publish the samples of this drive, or measure it again",
      delay.mean_ns / 1e6, delay.error_ns / 1e6, delay.accesses, half_ns / 1e6);
}

struct Refusing {
  const char* name;
  Broken (*broken)(const DriveModel&, const Evidence&);
};

Broken quality(const DriveModel& model, const Evidence&) {
  const model::Qualities found = model::qualities_of(model);
  if (found.all != model::Quality::poor) return {};
  return fmt::format("its quality is {}; measure the drive again", model::in_words(found));
}

constexpr std::array<Refusing, 6> kRefusing{{{"seek-order", seek_order},
                                             {"seek-positive", seek_positive},
                                             {"rotation-agrees", rotation_agrees},
                                             {"capacity", capacity},
                                             {"half-revolution", half_revolution},
                                             {"quality", quality}}};

bool period_unusual(const DriveModel& model) {
  if (model.rotation.numerator_ns == 0) return false;
  const double rpm = 60e9 / model::revolution_ns(model.rotation);
  return rpm < kLeastUsualRpm || rpm > kMostUsualRpm;
}

bool falls(const Seek& seek) {
  const double allowed_ms = kFallShare * seek.points.back().time_ms;
  double highest_ms = 0;
  for (const SeekPoint& point : seek.points) {
    if (highest_ms - point.time_ms > allowed_ms) return true;
    highest_ms = std::max(highest_ms, point.time_ms);
  }
  return false;
}

bool seek_falls(const DriveModel& model) {
  return std::ranges::any_of(curves_of(model), [](const Curve& c) { return falls(*c.seek); });
}

std::uint32_t most_sectors(const std::vector<model::LayoutNode>& nodes) {
  std::uint32_t most = 0;
  for (const model::LayoutNode& node : nodes)
    most = std::max({most, node.sectors, most_sectors(node.children)});
  return most;
}

// A block takes longer over the bus than to pass under the head on the longest track.
bool bus_slower_than_media(const DriveModel& model) {
  const std::uint32_t sectors = most_sectors(model.layout.zones);
  const model::Parameter& transfer = model.bus.block_transfer;
  if (!transfer.value || sectors == 0 || model.rotation.numerator_ns == 0) return false;
  const double passing_ms = model::revolution_ns(model.rotation) / sectors / 1e6;
  return *transfer.value - kErrors * transfer.error.value_or(0) > passing_ms;
}

struct Remarking {
  const char* name;
  bool (*applies)(const DriveModel&);
};

constexpr std::array<Remarking, 3> kRemarking{{{"period-unusual", period_unusual},
                                               {"seek-falls", seek_falls},
                                               {"bus-slower-than-media", bus_slower_than_media}}};

}  // namespace

const std::vector<std::string>& refusing_rules() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Refusing& rule : kRefusing) all.emplace_back(rule.name);
    return all;
  }();
  return names;
}

std::vector<Objection> objections_to(const DriveModel& model, const Evidence& evidence) {
  std::vector<Objection> objections;
  for (const Refusing& rule : kRefusing) {
    if (Broken broken = rule.broken(model, evidence))
      objections.push_back({rule.name, *std::move(broken)});
  }
  return objections;
}

std::vector<std::string> remarks_on(const DriveModel& model) {
  std::vector<std::string> remarks;
  for (const Remarking& rule : kRemarking) {
    if (rule.applies(model)) remarks.emplace_back(rule.name);
  }
  return remarks;
}

}  // namespace platter::registry
