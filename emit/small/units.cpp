#include "emit/small/units.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/interruption.h"
#include "model/validate.h"

namespace platter::emit_small {
namespace {

using model::LayoutNode;

struct Cylinders {
  std::int32_t low = 0, high = 0;
};

Cylinders cylinders_of(const LayoutNode& node) {
  Cylinders one{};
  bool first = true;
  for (const LayoutNode& child : node.children) {
    const Cylinders of = cylinders_of(child);
    one = first ? of : Cylinders{std::min(one.low, of.low), std::max(one.high, of.high)};
    first = false;
  }
  const std::int32_t steps = static_cast<std::int32_t>(node.count - 1) * node.cylinder_step;
  return {node.cylinder + one.low + std::min(0, steps),
          node.cylinder + one.high + std::max(0, steps)};
}

void unite(Unit& unit, const Unit& next) {
  const bool outward = unit.first_cylinder > unit.last_cylinder;
  const auto [a, b] = std::minmax(unit.first_cylinder, unit.last_cylinder);
  const auto [c, d] = std::minmax(next.first_cylinder, next.last_cylinder);
  unit.zones += next.zones;
  unit.slots.end = next.slots.end;
  unit.blocks += next.blocks;
  unit.first_cylinder = std::min(a, c);
  unit.last_cylinder = std::max(b, d);
  if (outward) std::swap(unit.first_cylinder, unit.last_cylinder);
}

std::vector<Unit> zones_of(const model::Layout& layout, const engine::LayoutMap& map) {
  std::vector<Unit> units;
  const std::vector<std::uint64_t> starts = model::zone_starts(layout);
  for (std::size_t i = 0; i < layout.zones.size(); ++i) {
    Unit unit{i, 1, {starts[i], starts[i + 1]}};
    unit.first_lbn = map.lbn_at_or_after_slot(unit.slots.first);
    unit.blocks = map.lbn_at_or_after_slot(unit.slots.end) - unit.first_lbn;
    const Cylinders cylinders = cylinders_of(layout.zones[i]);
    unit.first_cylinder = cylinders.low;
    unit.last_cylinder = cylinders.high;
    units.push_back(unit);
  }
  return units;
}

// Whether the drive's first blocks lie on its higher cylinders.
bool goes_outward(const std::vector<Unit>& units) {
  return units.front().first_cylinder > units.back().first_cylinder;
}

bool in_order(const Unit& before, const Unit& next) {
  const bool outward = before.first_cylinder > before.last_cylinder ||
                       next.first_cylinder > next.last_cylinder;
  return outward ? next.first_cylinder < before.last_cylinder
                 : next.first_cylinder > before.last_cylinder;
}

// Blocks as they lie, if each group's cylinders follow one another evenly: how far from it.
double deviation(const std::vector<Unit>& units, std::size_t first, std::size_t end) {
  const Unit& begin = units[first];
  const Unit& last = units[end - 1];
  const double from = begin.first_cylinder, to = last.last_cylinder;
  const auto blocks = static_cast<double>(last.first_lbn + last.blocks - begin.first_lbn);
  double farthest = 0;
  for (std::size_t i = first + 1; i < end; ++i) {
    const auto into = static_cast<double>(units[i].first_lbn - begin.first_lbn);
    const double expected = from + (to - from) * into / blocks;
    farthest = std::max(farthest, std::abs(expected - units[i].first_cylinder));
  }
  return farthest;
}

}  // namespace

std::vector<Unit> units_of(const model::Layout& layout, const engine::LayoutMap& map) {
  std::vector<Unit> zones = zones_of(layout, map);
  const bool outward = goes_outward(zones);
  std::vector<Unit> units;
  for (Unit& zone : zones) {
    if (outward) std::swap(zone.first_cylinder, zone.last_cylinder);
    units.push_back(zone);
    while (units.size() > 1 && (!in_order(units[units.size() - 2], units.back()) ||
                                units.back().blocks == 0 || units[units.size() - 2].blocks == 0)) {
      const Unit next = units.back();
      units.pop_back();
      unite(units.back(), next);
    }
  }
  return units;
}

std::vector<std::size_t> groups_of(const std::vector<Unit>& units, std::size_t most) {
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < units.size(); ++i) firsts.push_back(i);
  const auto end_of = [&](std::size_t group) {
    return group + 1 < firsts.size() ? firsts[group + 1] : units.size();
  };
  // Of each group with the one behind it.
  std::vector<double> costs;
  const auto cost = [&](std::size_t group) {
    return deviation(units, firsts[group], end_of(group + 1));
  };
  for (std::size_t i = 0; i + 1 < firsts.size(); ++i) costs.push_back(cost(i));
  while (firsts.size() > std::max<std::size_t>(1, most)) {
    stop_if_asked();
    const auto group = static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
    firsts.erase(firsts.begin() + static_cast<std::ptrdiff_t>(group) + 1);
    costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(group));
    if (group < costs.size()) costs[group] = cost(group);
    if (group > 0) costs[group - 1] = cost(group - 1);
  }
  return firsts;
}

}  // namespace platter::emit_small
