#include "model/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "model/parameters.h"
#include "model/seek_curve.h"

namespace platter::model {
namespace {

// What is known without error, as if it were measured.
std::vector<NamedParameter> figures_of(const DriveModel& model) {
  std::vector<NamedParameter> figures;
  const auto exact = [&](const char* path, const char* unit, double value) {
    figures.push_back({path, {}});
    figures.back().parameter.value = value;
    figures.back().parameter.unit = unit;
  };
  exact("identity.blocks", "blocks", static_cast<double>(model.identity.blocks));
  exact("identity.block_bytes", "bytes", model.identity.block_bytes);
  exact("identity.heads", "", model.identity.heads);
  exact("identity.cylinders", "", model.identity.cylinders);
  for (NamedParameter& parameter : parameters_of(model)) figures.push_back(std::move(parameter));
  return figures;
}

// A curve that only one has is compared point by point with nothing.
void append_seeks(std::string_view name, const Seek& a, const Seek& b,
                  std::vector<Difference>& differences) {
  if (a.points.empty() || b.points.empty()) {
    for (const Seek* seek : {&a, &b}) {
      for (const SeekPoint& point : seek->points) {
        std::optional<double> in_a, in_b;
        (seek == &a ? in_a : in_b) = point.time_ms;
        differences.push_back(compare(fmt::format("{}[{}]", name, point.cylinders), "ms", in_a,
                                      std::nullopt, in_b, std::nullopt));
      }
    }
    return;
  }
  const std::uint32_t reach = std::min(a.points.back().cylinders, b.points.back().cylinders);
  std::set<std::uint32_t> distances = seek_distances({&a, &b});
  distances.erase(distances.upper_bound(reach), distances.end());
  const double within = equal_within(distances.size());
  for (const std::uint32_t distance : distances) {
    differences.push_back(compare(fmt::format("{}[{}]", name, distance), "ms",
                                  seek_time_ms(a, distance), seek_error_ms(a, distance),
                                  seek_time_ms(b, distance), seek_error_ms(b, distance), within));
  }
}

// Without a settle nothing is known of writes.
Seek known_write_seek(const DriveModel& model) {
  return model.write_seek || model.write_settle ? write_seek(model) : Seek{};
}

}  // namespace

double equal_within(std::size_t points) {
  const double chance = std::erfc(kEqualWithin / std::numbers::sqrt2) /
                        static_cast<double>(std::max<std::size_t>(points, 1));
  double low = kEqualWithin, high = 20;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) > chance ? low : high) = middle;
  }
  return low;
}

Difference compare(std::string path, std::string unit, std::optional<double> a,
                   std::optional<double> a_error, std::optional<double> b,
                   std::optional<double> b_error, double equal_within) {
  Difference result;
  result.path = std::move(path), result.unit = std::move(unit);
  result.a = a, result.b = b;
  if (!a || !b) return result;
  result.difference = *b - *a;
  if (*a != 0) result.relative = *result.difference / std::fabs(*a);
  const double error = std::hypot(a_error.value_or(0), b_error.value_or(0));
  const double rounding = 1e-12 * std::max(std::fabs(*a), std::fabs(*b));
  result.within_error = std::fabs(*result.difference) <= equal_within * error + rounding;
  if (error > 0) result.in_errors = std::fabs(*result.difference) / error;
  return result;
}

std::vector<Difference> diff_parameters(const DriveModel& a, const DriveModel& b) {
  const std::vector<NamedParameter> in_a = figures_of(a), in_b = figures_of(b);
  std::vector<Difference> differences;
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const Parameter& of_a = in_a[i].parameter;
    const Parameter& of_b = in_b[i].parameter;
    if (!of_a && !of_b) continue;
    const std::string& unit = of_a.unit.empty() ? of_b.unit : of_a.unit;
    differences.push_back(
        compare(in_a[i].path, unit, of_a.value, of_a.error, of_b.value, of_b.error));
  }
  append_seeks("seek", a.seek, b.seek, differences);
  if (a.outward_seek || b.outward_seek)
    append_seeks("outward_seek", outward_seek(a), outward_seek(b), differences);
  if (a.write_seek || b.write_seek)
    append_seeks("write_seek", known_write_seek(a), known_write_seek(b), differences);
  return differences;
}

}  // namespace platter::model
