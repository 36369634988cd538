#include "engine/layout_tables.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/bucket_index.h"
#include "engine/layout_map.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::engine {
namespace {

using Defect = std::optional<std::string>;

constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 48;
constexpr std::uint32_t kMaxDepth = 16;
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // of a relative cylinder or head
constexpr std::size_t kZoneDensity = 8, kSkipDensity = 2;

struct Extent {
  std::int64_t low = 0, high = 0;  // inclusive
};

// Extent of all instances, relative to the parent's instance. No sum overflows: |one| <= kFarthest,
// and |step * count| < 2^63 - 2^31.
Defect spread(std::int64_t origin, std::int64_t step, std::uint32_t count, const Extent& one,
              Extent& all) {
  const std::int64_t last = step * (static_cast<std::int64_t>(count) - 1);
  if (last > kFarthest || last < -kFarthest)
    return "has a cylinder or head outside the drive";
  all = {origin + one.low + std::min<std::int64_t>(0, last),
         origin + one.high + std::max<std::int64_t>(0, last)};
  if (all.low < -kFarthest || all.high > kFarthest)
    return "has a cylinder or head outside the drive";
  return std::nullopt;
}

Extent joined(const Extent& a, const Extent& b, bool first) {
  return first ? b : Extent{std::min(a.low, b.low), std::max(a.high, b.high)};
}

// A list of nodes is a tree: every node but the zones is the child of exactly one earlier node.
Defect check_tree(const LayoutArrays& layout) {
  const auto& nodes = layout.nodes;
  const std::size_t zones = layout.totals.zones;
  if (zones == 0) return "has no zones";
  if (zones > nodes.size()) return "has zones that are not there";
  std::vector<std::uint32_t> depth(nodes.size(), 1);
  std::size_t next = zones;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const FlatNode& node = nodes[i];
    if (node.count == 0) return "has a node with count 0";
    if ((node.sectors == 0) == (node.children == 0))
      return "has a node that is neither a track nor a group of tracks";
    if (node.sectors > model::kMostSectors) return "has a track with more sectors than any drive";
    if (depth[i] > kMaxDepth) return "is nested more than 16 deep";
    if (node.children == 0) {
      if (node.first_child != 0) return "has a track with children";
      continue;
    }
    if (node.first_child != next || next <= i || node.children > nodes.size() - next)
      return "has children that are not its own";
    for (std::uint32_t child = 0; child < node.children; ++child) depth[next++] = depth[i] + 1;
  }
  if (next != nodes.size()) return "has nodes that belong to nothing";
  return std::nullopt;
}

// Adds `count` instances of a node behind what its parent holds so far.
Defect append(FlatNode& node, std::uint64_t& slots, std::uint64_t& tracks) {
  if (node.slots > kMaxSlots / node.count || slots > kMaxSlots - node.slots * node.count)
    return "holds more sectors than any drive";
  node.first_slot = slots;
  slots += node.slots * node.count;
  tracks += node.tracks * node.count;
  return std::nullopt;
}

// What the tree's nodes hold, from the leaves up.
Defect sum_up(LayoutArrays& layout) {
  for (std::size_t i = layout.nodes.size(); i-- > 0;) {
    FlatNode& node = layout.nodes[i];
    node.slots = node.sectors;
    node.tracks = node.children == 0 ? 1 : 0;
    Extent cylinders, heads;
    for (std::uint32_t c = 0; c < node.children; ++c) {
      FlatNode& child = layout.nodes[node.first_child + c];
      if (auto defect = append(child, node.slots, node.tracks)) return defect;
      Extent one;
      if (auto defect = spread(child.cylinder, child.cylinder_step, child.count,
                               {child.cylinder_low, child.cylinder_high}, one))
        return defect;
      cylinders = joined(cylinders, one, c == 0);
      if (auto defect = spread(child.head, child.head_step, child.count,
                               {child.head_low, child.head_high}, one))
        return defect;
      heads = joined(heads, one, c == 0);
    }
    node.cylinder_low = cylinders.low;
    node.cylinder_high = cylinders.high;
    node.head_low = heads.low;
    node.head_high = heads.high;
    node.reciprocal = ~std::uint64_t{0} / node.slots;
  }
  return std::nullopt;
}

Defect add_up_zones(LayoutArrays& layout) {
  FlatLayout& totals = layout.totals;
  totals.slots = totals.tracks = 0;
  std::int64_t high_cylinder = 0, high_head = 0;
  for (std::uint32_t z = 0; z < totals.zones; ++z) {
    FlatNode& zone = layout.nodes[z];
    if (auto defect = append(zone, totals.slots, totals.tracks)) return defect;
    Extent cylinders, heads;
    if (auto defect = spread(zone.cylinder, zone.cylinder_step, zone.count,
                             {zone.cylinder_low, zone.cylinder_high}, cylinders))
      return defect;
    if (auto defect =
            spread(zone.head, zone.head_step, zone.count, {zone.head_low, zone.head_high}, heads))
      return defect;
    constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max() - 1;
    if (cylinders.low < 0 || heads.low < 0 || cylinders.high > kHighest || heads.high > kHighest)
      return "has a cylinder or head outside the drive";
    high_cylinder = std::max(high_cylinder, cylinders.high);
    high_head = std::max(high_head, heads.high);
  }
  totals.cylinders = static_cast<std::uint32_t>(high_cylinder + 1);
  totals.heads = static_cast<std::uint32_t>(high_head + 1);
  return std::nullopt;
}

Defect add_up_skips(LayoutArrays& layout) {
  const std::uint64_t slots = layout.totals.slots;
  std::uint64_t skipped = 0, end = 0;
  for (FlatSkip& skip : layout.skips) {
    if (skip.length == 0 || skip.count == 0) return "has an empty skip";
    if (skip.count > 1 && skip.stride <= skip.length) return "has skips that touch each other";
    if (skip.first_slot < end) return "has skips that are not in order or overlap";
    if (skip.first_slot >= slots || skip.length > slots - skip.first_slot)
      return "has a skip beyond its last sector";
    if (skip.count == 1) skip.stride = skip.length + 1;  // of no meaning, but never zero
    if (skip.count - 1 > (slots - skip.first_slot - skip.length) / skip.stride)
      return "has a skip beyond its last sector";
    skip.lbn = skip.first_slot - skipped;
    skip.skipped_before = skipped;
    end = skip.first_slot + (skip.count - 1) * skip.stride + skip.length;
    skipped += skip.length * skip.count;
  }
  if (skipped == slots) return "holds no blocks";
  layout.totals.blocks = slots - skipped;
  return std::nullopt;
}

Defect sort_remaps(LayoutArrays& layout) {
  for (const FlatRemap& remap : layout.remaps_by_lbn)
    if (remap.lbn >= layout.totals.blocks || remap.slot >= layout.totals.slots)
      return "has a remapped block outside the drive";
  layout.remaps_by_slot = layout.remaps_by_lbn;
  std::ranges::stable_sort(layout.remaps_by_lbn, {}, &FlatRemap::lbn);
  std::ranges::stable_sort(layout.remaps_by_slot, {}, &FlatRemap::slot);
  return std::nullopt;
}

void build_indices(LayoutArrays& layout) {
  FlatLayout& t = layout.totals;
  const std::span<const FlatNode> zones = std::span(layout.nodes).first(t.zones);
  const std::span<const FlatSkip> skips = layout.skips;
  t.zone_shift = bucket_shift(t.slots, zones.size(), kZoneDensity);
  t.skip_lbn_shift = bucket_shift(t.blocks, skips.size(), kSkipDensity);
  t.skip_slot_shift = bucket_shift(t.slots, skips.size(), kSkipDensity);
  layout.zone_index = build_index(zones, &FlatNode::first_slot, t.zone_shift, t.slots);
  layout.skip_lbn_index = build_index(skips, &FlatSkip::lbn, t.skip_lbn_shift, t.blocks);
  layout.skip_slot_index = build_index(skips, &FlatSkip::first_slot, t.skip_slot_shift, t.slots);
}

// Everything that follows from what a layout says: the tree's own fields, the skips' and remaps'.
Defect complete(LayoutArrays& layout) {
  if (auto defect = check_tree(layout)) return defect;
  for (auto step : {sum_up, add_up_zones, add_up_skips, sort_remaps})
    if (auto defect = step(layout)) return defect;
  build_indices(layout);
  return std::nullopt;
}

[[noreturn]] void bad_layout(const std::string& what) {
  throw Error(ExitStatus::bad_input, "the model's layout " + what + "; correct the model file");
}

FlatNode node_of(const model::LayoutNode& source) {
  if (source.children.empty() == (source.sectors == 0))
    bad_layout("has a node that is neither a track nor a group of tracks");
  if (!std::isfinite(source.angle_rev) || !std::isfinite(source.angle_step_rev))
    bad_layout("has an angle that is no number");
  FlatNode node{};
  node.angle = angle_from_rev(source.angle_rev);
  node.angle_step = angle_from_rev(source.angle_step_rev);
  node.cylinder = source.cylinder;
  node.cylinder_step = source.cylinder_step;
  node.head = source.head;
  node.head_step = source.head_step;
  node.count = source.count;
  node.sectors = source.sectors;
  return node;
}

// Level by level, so that children lie side by side.
void flatten(const std::vector<model::LayoutNode>& zones, std::vector<FlatNode>& nodes) {
  std::vector<const model::LayoutNode*> sources;
  for (const auto& zone : zones) sources.push_back(&zone);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    FlatNode node = node_of(*sources[i]);
    if (!sources[i]->children.empty()) {
      node.first_child = static_cast<std::uint32_t>(sources.size());
      node.children = static_cast<std::uint32_t>(sources[i]->children.size());
    }
    for (const auto& child : sources[i]->children) sources.push_back(&child);
    nodes.push_back(node);
  }
}

template <typename T>
std::vector<T> copy_of(std::span<const T> items) {
  return {items.begin(), items.end()};
}

template <typename T>
bool same_bytes(std::span<const T> a, const std::vector<T>& b) {
  static_assert(std::has_unique_object_representations_v<T>);
  return a.size() == b.size() && (b.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

LayoutView LayoutArrays::view() const {
  return {totals,     nodes,          skips,          remaps_by_lbn, remaps_by_slot,
          zone_index, skip_lbn_index, skip_slot_index};
}

LayoutArrays compile_layout(const model::Layout& source) {
  LayoutArrays layout;
  layout.totals.zones = static_cast<std::uint32_t>(source.zones.size());
  flatten(source.zones, layout.nodes);
  for (const auto& skip : source.skips)
    layout.skips.push_back({skip.first_slot, skip.length, skip.count, skip.stride, 0, 0});
  for (const auto& remap : source.remaps) layout.remaps_by_lbn.push_back({remap.lbn, remap.slot});
  if (auto defect = complete(layout)) bad_layout(*defect);
  return layout;
}

std::optional<std::string> layout_defect(const LayoutView& layout) {
  LayoutArrays expected;
  expected.totals.zones = layout.totals.zones;
  expected.nodes = copy_of(layout.nodes);
  expected.skips = copy_of(layout.skips);
  expected.remaps_by_lbn = copy_of(layout.remaps_by_lbn);
  if (auto defect = complete(expected)) return defect;
  if (!same_bytes(std::span(&layout.totals, 1), std::vector{expected.totals}))
    return "has sums that are not its parts'";
  if (!same_bytes(layout.nodes, expected.nodes)) return "has a node that miscounts its children";
  if (!same_bytes(layout.skips, expected.skips)) return "has a skip that miscounts those before it";
  if (!same_bytes(layout.remaps_by_lbn, expected.remaps_by_lbn) ||
      !same_bytes(layout.remaps_by_slot, expected.remaps_by_slot))
    return "has remapped blocks out of order";
  if (!same_bytes(layout.zone_index, expected.zone_index) ||
      !same_bytes(layout.skip_lbn_index, expected.skip_lbn_index) ||
      !same_bytes(layout.skip_slot_index, expected.skip_slot_index))
    return "has an index that leads astray";
  return std::nullopt;
}

}  // namespace platter::engine
