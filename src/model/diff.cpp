#include "model/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "model/known.h"
#include "model/parameters.h"
#include "model/seek_curve.h"

namespace platter::model {
namespace {

// What a model knows of its map's surfaces; where it says nothing the map's number, exactly.
Parameter of_map(const Parameter& stated, double in_map) {
  if (known(stated) != Known::unknown || !stated.reason.empty()) return stated;
  Parameter exact;
  exact.value = in_map;
  return exact;
}

// Where a figure lies: its value within errors, or its bounds.
struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
};

Interval interval_of(const Parameter& p) {
  Interval interval;
  if (p) {
    const double error = kEqualWithin * p.error.value_or(0);
    return {*p.value - error, *p.value + error};
  }
  if (p.at_least) interval.low = *p.at_least;
  if (p.at_most) interval.high = *p.at_most;
  return interval;
}

// A bound and a value that fulfils it are no difference.
void judge_bounds(const Parameter& a, const Parameter& b, Difference& difference) {
  const auto bounds = [](const Parameter& p) { return p.at_least || p.at_most; };
  if ((a && b) || !(a || bounds(a)) || !(b || bounds(b))) return;
  const Interval in_a = interval_of(a), in_b = interval_of(b);
  difference.within_error = in_a.low <= in_b.high && in_b.low <= in_a.high;
}

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
  figures.push_back({"identity.heads", of_map(model.layout.heads, model.identity.heads)});
  figures.push_back(
      {"identity.cylinders", of_map(model.layout.cylinders, model.identity.cylinders)});
  for (NamedParameter& parameter : parameters_of(model)) figures.push_back(std::move(parameter));
  return figures;
}

struct Both {
  std::string path;
  Parameter of_a, of_b;
};

// In the order of the first; what only the second has (arms, power conditions) behind.
std::vector<Both> in_both(const std::vector<NamedParameter>& in_a,
                          const std::vector<NamedParameter>& in_b) {
  const auto at = [](const std::vector<NamedParameter>& all, const std::string& path) {
    const auto found = std::ranges::find(all, path, &NamedParameter::path);
    return found == all.end() ? Parameter{} : found->parameter;
  };
  std::vector<Both> both;
  for (const NamedParameter& each : in_a)
    both.push_back({each.path, each.parameter, at(in_b, each.path)});
  for (const NamedParameter& each : in_b)
    if (std::ranges::find(in_a, each.path, &NamedParameter::path) == in_a.end())
      both.push_back({each.path, {}, each.parameter});
  return both;
}

// How many arms there are, and where each range but the first begins.
void append_arms(const DriveModel& a, const DriveModel& b, std::vector<Difference>& differences) {
  if (!a.arms && !b.arms) return;
  const auto exact = [&](std::string path, const char* unit, std::optional<double> in_a,
                         std::optional<double> in_b) {
    differences.push_back(compare(std::move(path), unit, in_a, std::nullopt, in_b, std::nullopt));
  };
  const auto ranges_of = [](const DriveModel& m) {
    return m.arms ? m.arms->ranges : std::vector<ArmRange>();
  };
  const std::vector<ArmRange> of_a = ranges_of(a), of_b = ranges_of(b);
  exact("arms", "", arm_count(a), arm_count(b));
  for (std::size_t i = 1; i < std::max(of_a.size(), of_b.size()); ++i) {
    const auto begin = [i](const std::vector<ArmRange>& ranges) -> std::optional<double> {
      if (i >= ranges.size()) return std::nullopt;
      return static_cast<double>(ranges[i].first_lbn);
    };
    exact(fmt::format("arms.ranges[{}].first_lbn", i), "blocks", begin(of_a), begin(of_b));
  }
}

// Figures of a drive beside one that is not known to be shingled; of two such drives they are among
// the other parameters.
void append_shingling(const DriveModel& a, const DriveModel& b,
                      std::vector<Difference>& differences) {
  if (a.shingling.has_value() == b.shingling.has_value()) return;
  for (const NamedParameter& figure : parameters_of(a.shingling ? a : b)) {
    if (!figure.path.starts_with("shingling.") || !figure.parameter.value) continue;
    const auto of = [&](const DriveModel& m) {
      return m.shingling ? figure.parameter.value : std::nullopt;
    };
    differences.push_back(
        compare(figure.path, figure.parameter.unit, of(a), std::nullopt, of(b), std::nullopt));
  }
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
  std::vector<Difference> differences;
  for (const Both& both : in_both(figures_of(a), figures_of(b))) {
    const Parameter& of_a = both.of_a;
    const Parameter& of_b = both.of_b;
    const std::string& unit = of_a.unit.empty() ? of_b.unit : of_a.unit;
    Difference difference = compare(both.path, unit, of_a.value, of_a.error, of_b.value,
                                    of_b.error);
    judge_bounds(of_a, of_b, difference);
    if (!of_a && !of_b && difference.within_error != false) continue;
    difference.instead = of_a ? known_instead(of_b) : known_instead(of_a);
    differences.push_back(std::move(difference));
  }
  append_arms(a, b, differences);
  append_shingling(a, b, differences);
  append_seeks("seek", a.seek, b.seek, differences);
  if (a.outward_seek || b.outward_seek)
    append_seeks("outward_seek", outward_seek(a), outward_seek(b), differences);
  if (a.write_seek || b.write_seek)
    append_seeks("write_seek", known_write_seek(a), known_write_seek(b), differences);
  return differences;
}

}  // namespace platter::model
