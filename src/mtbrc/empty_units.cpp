#include "mtbrc/empty_units.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace platter::mtbrc {
namespace {

std::uint64_t slots_of_one(const model::LayoutNode& node) {
  std::uint64_t slots = node.sectors;
  for (const model::LayoutNode& child : node.children) slots += child.count * slots_of_one(child);
  return slots;
}

// Instances of a zone that one run of skipped slots covers wholly.
void add_covered(std::uint64_t first, std::uint64_t end, std::uint64_t zone_first,
                 const model::LayoutNode& zone, std::uint64_t slots,
                 std::vector<std::uint64_t>& empty) {
  const std::uint64_t zone_end = zone_first + zone.count * slots;
  first = std::max(first, zone_first);
  end = std::min(end, zone_end);
  if (first >= end) return;
  for (std::uint64_t i = (first - zone_first + slots - 1) / slots;
       zone_first + (i + 1) * slots <= end; ++i)
    empty.push_back(i);
}

struct Stride {
  std::uint64_t first = 0, stride = 0;  // instances
};

// The stride that most of the empty instances keep.
std::optional<Stride> stride_of(std::vector<std::uint64_t> empty) {
  constexpr std::size_t kFewest = 3;
  constexpr double kMost = 0.8;
  if (empty.size() < kFewest) return std::nullopt;
  std::sort(empty.begin(), empty.end());
  std::vector<std::uint64_t> steps;
  for (std::size_t i = 1; i < empty.size(); ++i) steps.push_back(empty[i] - empty[i - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                   steps.end());
  const std::uint64_t stride = steps[steps.size() / 2];
  if (stride < 2) return std::nullopt;
  std::vector<std::size_t> phases(stride, 0);
  for (const std::uint64_t i : empty) ++phases[i % stride];
  const auto best = std::max_element(phases.begin(), phases.end());
  if (static_cast<double>(*best) < kMost * static_cast<double>(empty.size())) return std::nullopt;
  return Stride{static_cast<std::uint64_t>(best - phases.begin()), stride};
}

// Instances [first, first + count) of a zone as a zone.
model::LayoutNode part_of(const model::LayoutNode& zone, std::uint64_t first, std::uint64_t count) {
  model::LayoutNode part = zone;
  part.count = static_cast<std::uint32_t>(count);
  part.cylinder += zone.cylinder_step * static_cast<std::int32_t>(first);
  part.head += zone.head_step * static_cast<std::int32_t>(first);
  part.angle_rev += zone.angle_step_rev * static_cast<double>(first);
  return part;
}

void add_grouped(const model::LayoutNode& zone, const Stride& empty,
                 std::vector<model::LayoutNode>& zones) {
  const std::uint64_t before = (empty.first + 1) % empty.stride;  // a group ends with its empty
                                                                  // unit
  const std::uint64_t groups = (zone.count - before) / empty.stride;
  const std::uint64_t behind = before + groups * empty.stride;
  if (before > 0) zones.push_back(part_of(zone, 0, before));
  model::LayoutNode group = part_of(zone, before, groups);
  model::LayoutNode inner = part_of(zone, 0, empty.stride);
  inner.cylinder = inner.head = 0;
  inner.angle_rev = 0;
  group.cylinder_step *= static_cast<std::int32_t>(empty.stride);
  group.head_step *= static_cast<std::int32_t>(empty.stride);
  group.angle_step_rev *= static_cast<double>(empty.stride);
  group.sectors = 0;
  group.children = {inner};
  zones.push_back(group);
  if (behind < zone.count) zones.push_back(part_of(zone, behind, zone.count - behind));
}

}  // namespace

model::Layout grouped_by_empty_units(const model::Layout& layout) {
  model::Layout result = layout;
  result.zones.clear();
  std::uint64_t zone_first = 0;
  for (const model::LayoutNode& zone : layout.zones) {
    const std::uint64_t slots = slots_of_one(zone);
    const std::uint64_t zone_end = zone_first + zone.count * slots;
    std::vector<std::uint64_t> empty;
    for (const model::Skip& skip : layout.skips) {
      if (skip.length < slots || skip.first_slot >= zone_end) continue;
      for (std::uint64_t i = 0; i < skip.count; ++i) {
        const std::uint64_t first = skip.first_slot + i * skip.stride;
        add_covered(first, first + skip.length, zone_first, zone, slots, empty);
      }
    }
    const auto stride = stride_of(std::move(empty));
    if (stride && zone.count >= 3 * stride->stride)
      add_grouped(zone, *stride, result.zones);
    else
      result.zones.push_back(zone);
    zone_first = zone_end;
  }
  return result;
}

}  // namespace platter::mtbrc
