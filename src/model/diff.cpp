#include "model/diff.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

#include "model/fields.h"
#include "model/seek_curve.h"

namespace platter::model {
namespace {

struct Figure {
  std::string path, unit;
  std::optional<double> value, error;
};

// The Parameters of a section in the order of its fields, those without a value too, so that the
// lists of two models run in parallel.
struct Collector {
  std::string prefix;
  std::vector<Figure>& figures;

  void required(const char*, const auto&) {}
  void usual(const char*, const auto&) {}
  void usual(const char* name, const Parameter& p) {
    figures.push_back({prefix + "." + name, p.unit, p.value, p.error});
  }
  void compact(const char*, const auto&, const auto&) {}
  void informative(const char*, const auto&) {}
};

Figure exact(const char* path, const char* unit, double value) { return {path, unit, value, std::nullopt}; }

Figure of(const char* path, const Parameter& p) { return {path, p.unit, p.value, p.error}; }

Figure period(const Rotation& rotation) {
  Figure figure = of("rotation.period", rotation.period);
  figure.unit = "ns";
  if (rotation.numerator_ns > 0) {
    figure.value = static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator);
  }
  return figure;
}

std::vector<Figure> figures_of(const DriveModel& model) {
  std::vector<Figure> figures;
  figures.push_back(exact("identity.blocks", "blocks", static_cast<double>(model.identity.blocks)));
  figures.push_back(exact("identity.block_bytes", "bytes", model.identity.block_bytes));
  figures.push_back(exact("identity.heads", "", model.identity.heads));
  figures.push_back(exact("identity.cylinders", "", model.identity.cylinders));
  figures.push_back(period(model.rotation));
  figures.push_back(of("head_switch", model.head_switch));
  figures.push_back(of("write_settle", model.write_settle));
  visit_fields(model.cache, Collector{"cache", figures});
  visit_fields(model.overheads, Collector{"overheads", figures});
  visit_fields(model.bus, Collector{"bus", figures});
  visit_fields(model.queue, Collector{"queue", figures});
  return figures;
}

void append_seeks(const Seek& a, const Seek& b, std::vector<Difference>& differences) {
  if (a.points.empty() || b.points.empty()) {
    for (const Seek* seek : {&a, &b}) {
      for (const SeekPoint& point : seek->points) {
        std::optional<double> in_a, in_b;
        (seek == &a ? in_a : in_b) = point.time_ms;
        differences.push_back(
            compare(fmt::format("seek[{}]", point.cylinders), "ms", in_a, std::nullopt, in_b, std::nullopt));
      }
    }
    return;
  }
  const std::uint32_t reach = std::min(a.points.back().cylinders, b.points.back().cylinders);
  std::set<std::uint32_t> distances;
  for (const Seek* seek : {&a, &b}) {
    for (const SeekPoint& point : seek->points) {
      if (point.cylinders <= reach) distances.insert(point.cylinders);
    }
  }
  for (const std::uint32_t distance : distances) {
    differences.push_back(compare(fmt::format("seek[{}]", distance), "ms", seek_time_ms(a, distance),
                                  seek_error_ms(a, distance), seek_time_ms(b, distance),
                                  seek_error_ms(b, distance)));
  }
}

}  // namespace

Difference compare(std::string path, std::string unit, std::optional<double> a, std::optional<double> a_error,
                   std::optional<double> b, std::optional<double> b_error) {
  Difference result{std::move(path), std::move(unit), a, b, std::nullopt, std::nullopt, std::nullopt};
  if (!a || !b) return result;
  result.difference = *b - *a;
  if (*a != 0) result.relative = *result.difference / std::fabs(*a);
  const double error = std::hypot(a_error.value_or(0), b_error.value_or(0));
  const double rounding = 1e-12 * std::max(std::fabs(*a), std::fabs(*b));
  result.within_error = std::fabs(*result.difference) <= kEqualWithin * error + rounding;
  return result;
}

std::vector<Difference> diff_parameters(const DriveModel& a, const DriveModel& b) {
  const std::vector<Figure> in_a = figures_of(a), in_b = figures_of(b);
  std::vector<Difference> differences;
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    if (!in_a[i].value && !in_b[i].value) continue;
    const std::string& unit = in_a[i].unit.empty() ? in_b[i].unit : in_a[i].unit;
    differences.push_back(
        compare(in_a[i].path, unit, in_a[i].value, in_a[i].error, in_b[i].value, in_b[i].error));
  }
  append_seeks(a.seek, b.seek, differences);
  return differences;
}

}  // namespace platter::model
