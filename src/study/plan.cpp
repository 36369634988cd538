#include "study/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"

namespace platter::study {
namespace {

double whole_s(const Points& points) {
  double whole = 0;
  for (const Point& point : points.points) whole += estimated_s(point);
  return whole;
}

}  // namespace

// A point belongs to the part in which its middle lies.
std::vector<Part> parts_of(const Points& points, std::size_t many) {
  std::vector<Part> parts(many);
  const double whole = whole_s(points);
  double before_s = 0;
  for (std::size_t index = 0; index < points.points.size(); ++index) {
    const double cost_s = estimated_s(points.points[index]);
    const double place = (before_s + cost_s / 2) / whole * static_cast<double>(many);
    Part& part = parts[std::min(static_cast<std::size_t>(place), many - 1)];
    part.points.push_back(index);
    part.estimated_s += cost_s;
    before_s += cost_s;
  }
  return parts;
}

std::size_t sensible_parts(const Points& points, std::size_t most, double least_s) {
  const double fit = least_s > 0 ? whole_s(points) / least_s : static_cast<double>(most);
  return std::clamp<std::size_t>(
      fit < static_cast<double>(most) ? static_cast<std::size_t>(fit) : most, 1,
      std::min(most, points.points.size()));
}

void require_an_end(const Study& study, const Points& points) {
  constexpr double kYear_s = 365.25 * 86400;
  model::ReadBudget budget = study.budget;
  for (const Point& point : points.points) {
    if (estimated_s(point) <= kYear_s) {
      budget.take(model::Cost::requests, point.requests);
      continue;
    }
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: {} requests are estimated to take {:.3g} years on one model, and a "
                    "point is kept whole or not at all; ask for fewer \"requests\", or by "
                    "the option \"limit\"",
                    study.traces[point.trace].where, point.requests, estimated_s(point) / kYear_s));
  }
}

}  // namespace platter::study
