#include "engine/layout_tables.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/key_index.h"
#include "engine/layout_map.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::engine {
namespace {

using Defect = std::optional<std::string>;

constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 48;
constexpr std::uint32_t kMaxDepth = 16;
constexpr std::int64_t kFarthest = std::int64_t{1} << 30;  // of a relative cylinder or head
constexpr std::size_t kZoneDensity = 8;

struct Extent {
  std::int64_t low = 0, high = 0;  // inclusive
};

// Extent of all instances, relative to the parent's instance. No sum overflows: |one| <= kFarthest,
// and |step * count| < 2^63 - 2^31.
Defect spread(std::int64_t origin, std::int64_t step, std::uint32_t count, const Extent& one,
              Extent& all) {
  const std::int64_t last = step * (static_cast<std::int64_t>(count) - 1);
  if (last > kFarthest || last < -kFarthest) return "has a cylinder or head outside the drive";
  all = {origin + one.low + std::min<std::int64_t>(0, last),
         origin + one.high + std::max<std::int64_t>(0, last)};
  if (all.low < -kFarthest || all.high > kFarthest)
    return "has a cylinder or head outside the drive";
  return std::nullopt;
}

Extent joined(const Extent& a, const Extent& b, bool first) {
  return first ? b : Extent{std::min(a.low, b.low), std::max(a.high, b.high)};
}

// A list of nodes is a tree: every node but the zones is the child of exactly one earlier node, and
// every listed track belongs to exactly one of them.
Defect check_tree(const LayoutArrays& layout) {
  const auto& nodes = layout.nodes;
  const std::size_t zones = layout.totals.zones;
  if (zones == 0) return "has no zones";
  if (zones > nodes.size()) return "has zones that are not there";
  if (layout.extents.size() != nodes.size()) return "has nodes that cover nothing";
  std::vector<std::uint32_t> depth(nodes.size(), 1);
  std::size_t next = zones, next_track = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const FlatNode& node = nodes[i];
    if (layout.extents[i].count == 0) return "has a node with count 0";
    if ((node.sectors == 0) == (node.children == 0))
      return "has a node that is neither a track nor a group of tracks";
    if (node.sectors > model::kMostSectors) return "has a track with more sectors than any drive";
    if (depth[i] > kMaxDepth) return "is nested more than 16 deep";
    if (node.children == 0) {
      if (node.first_child != 0) return "has a track with children";
      continue;
    }
    if (has_track_list(node)) {
      const std::uint32_t count = node.children & ~kTrackList;
      if (node.first_child != next_track || count == 0 || count > layout.tracks.size() - next_track)
        return "has tracks that are not its own";
      next_track += count;
      continue;
    }
    if (node.first_child != next || next <= i || node.children > nodes.size() - next)
      return "has children that are not its own";
    for (std::uint32_t child = 0; child < node.children; ++child) depth[next++] = depth[i] + 1;
  }
  if (next != nodes.size()) return "has nodes that belong to nothing";
  if (next_track != layout.tracks.size()) return "has tracks that belong to nothing";
  return std::nullopt;
}

// Adds `count` instances of a node behind what its parent holds so far.
Defect append(FlatNode& node, const FlatExtent& extent, std::uint64_t& slots,
              std::uint64_t& tracks) {
  if (node.slots > kMaxSlots / extent.count || slots > kMaxSlots - node.slots * extent.count)
    return "holds more sectors than any drive";
  node.first_slot = slots;
  slots += node.slots * extent.count;
  tracks += extent.tracks * extent.count;
  return std::nullopt;
}

// All instances of a node, seen from its parent's instance.
Defect covered(const FlatNode& node, const FlatExtent& extent, Extent& cylinders, Extent& heads) {
  if (auto defect = spread(node.cylinder, node.cylinder_step, extent.count,
                           {extent.cylinder_low, extent.cylinder_high}, cylinders))
    return defect;
  return spread(node.head, node.head_step, extent.count, {extent.head_low, extent.head_high},
                heads);
}

struct Covered {
  Extent cylinders, heads;
  bool nothing = true;

  void add(const Extent& more_cylinders, const Extent& more_heads) {
    cylinders = joined(cylinders, more_cylinders, nothing);
    heads = joined(heads, more_heads, nothing);
    nothing = false;
  }
};

Defect sum_up_children(LayoutArrays& layout, FlatNode& node, FlatExtent& extent, Covered& all) {
  for (std::uint32_t c = node.first_child; c < node.first_child + node.children; ++c) {
    FlatNode& child = layout.nodes[c];
    if (auto defect = append(child, layout.extents[c], node.slots, extent.tracks)) return defect;
    Extent cylinders, heads;
    if (auto defect = covered(child, layout.extents[c], cylinders, heads)) return defect;
    all.add(cylinders, heads);
  }
  return std::nullopt;
}

Defect sum_up_tracks(LayoutArrays& layout, FlatNode& node, FlatExtent& extent, Covered& all) {
  for (FlatTrack& track : listed_tracks(std::span(layout.tracks), node)) {
    if (track.sectors == 0) return "has a track without sectors";
    if (track.sectors > model::kMostSectors) return "has a track with more sectors than any drive";
    if (track.cylinder > kFarthest || track.cylinder < -kFarthest)
      return "has a cylinder or head outside the drive";
    track.first_slot = static_cast<std::uint32_t>(node.slots);
    track.reserved = 0;
    node.slots += track.sectors;
    ++extent.tracks;
    if (node.slots > std::numeric_limits<std::uint32_t>::max())
      return "has a list of tracks that is too long";
    all.add({track.cylinder, track.cylinder}, {track.head, track.head});
  }
  return std::nullopt;
}

// What the tree's nodes hold, from the leaves up.
Defect sum_up(LayoutArrays& layout) {
  for (std::size_t i = layout.nodes.size(); i-- > 0;) {
    FlatNode& node = layout.nodes[i];
    FlatExtent& extent = layout.extents[i];
    node.slots = node.sectors;
    extent.tracks = node.children == 0 ? 1 : 0;
    Covered all;
    if (auto defect = has_track_list(node) ? sum_up_tracks(layout, node, extent, all)
                                           : sum_up_children(layout, node, extent, all))
      return defect;
    extent.cylinder_low = static_cast<std::int32_t>(all.cylinders.low);
    extent.cylinder_high = static_cast<std::int32_t>(all.cylinders.high);
    extent.head_low = static_cast<std::int32_t>(all.heads.low);
    extent.head_high = static_cast<std::int32_t>(all.heads.high);
    extent.reserved = 0;
    node.reciprocal = reciprocal_of(node.slots);
  }
  return std::nullopt;
}

Defect add_up_zones(LayoutArrays& layout) {
  FlatLayout& totals = layout.totals;
  totals.slots = totals.tracks = 0;
  std::int64_t high_cylinder = 0, high_head = 0;
  layout.zone_slots.clear();
  for (std::uint32_t z = 0; z < totals.zones; ++z) {
    layout.zone_slots.push_back(totals.slots);
    if (auto defect = append(layout.nodes[z], layout.extents[z], totals.slots, totals.tracks))
      return defect;
    Extent cylinders, heads;
    if (auto defect = covered(layout.nodes[z], layout.extents[z], cylinders, heads)) return defect;
    if (cylinders.low < 0 || heads.low < 0) return "has a cylinder or head outside the drive";
    high_cylinder = std::max(high_cylinder, cylinders.high);
    high_head = std::max(high_head, heads.high);
  }
  totals.cylinders = static_cast<std::uint32_t>(high_cylinder + 1);
  totals.heads = static_cast<std::uint32_t>(high_head + 1);
  totals.zone_shift = bucket_shift(totals.slots, totals.zones, kZoneDensity);
  layout.zone_buckets = build_buckets(layout.zone_slots, totals.zone_shift, totals.slots);
  pad(layout.zone_slots);
  return std::nullopt;
}

// Everything that follows from what the tree says.
Defect complete_tree(LayoutArrays& layout) {
  if (auto defect = check_tree(layout)) return defect;
  if (auto defect = sum_up(layout)) return defect;
  return add_up_zones(layout);
}

[[noreturn]] void bad_layout(const std::string& what) {
  throw Error(ExitStatus::bad_input, "the model's layout " + what + "; correct the model file");
}

FlatNode node_of(const model::LayoutNode& source) {
  if (source.children.empty() == (source.sectors == 0))
    bad_layout("has a node that is neither a track nor a group of tracks");
  if (!std::isfinite(source.angle_rev) || !std::isfinite(source.angle_step_rev))
    bad_layout("has an angle that is no number");
  constexpr std::int32_t kMostHead = std::numeric_limits<std::int16_t>::max();
  if (std::abs(std::int64_t{source.head}) > kMostHead ||
      std::abs(std::int64_t{source.head_step}) > kMostHead)
    bad_layout("has a cylinder or head outside the drive");
  FlatNode node{};
  node.angle = angle_from_rev(source.angle_rev);
  node.angle_step = angle_from_rev(source.angle_step_rev);
  node.cylinder = source.cylinder;
  node.cylinder_step = source.cylinder_step;
  node.head = static_cast<std::int16_t>(source.head);
  node.head_step = static_cast<std::int16_t>(source.head_step);
  node.sectors = source.sectors;
  return node;
}

// Whether the children are tracks that a list holds in less room than nodes do.
bool is_list_of_tracks(const std::vector<model::LayoutNode>& children) {
  std::uint64_t tracks = 0;
  for (const auto& child : children) {
    if (child.sectors == 0 || !child.children.empty() || child.count > 255) return false;
    tracks += child.count;
  }
  return tracks > 1 &&
         tracks * sizeof(FlatTrack) < children.size() * (sizeof(FlatNode) + sizeof(FlatExtent));
}

void list_tracks(const model::LayoutNode& source, std::vector<FlatTrack>& tracks) {
  const FlatNode run = node_of(source);
  for (std::uint32_t i = 0; i < source.count; ++i) {
    const auto step = static_cast<std::int64_t>(i);
    const std::int64_t cylinder = run.cylinder + step * run.cylinder_step;
    const std::int64_t head = run.head + step * run.head_step;
    if (std::abs(cylinder) > kFarthest || std::abs(head) > std::numeric_limits<std::int16_t>::max())
      bad_layout("has a cylinder or head outside the drive");
    tracks.push_back({run.angle + i * run.angle_step, 0, run.sectors,
                      static_cast<std::int32_t>(cylinder), static_cast<std::int16_t>(head), 0});
  }
}

// Level by level, so that children lie side by side.
void flatten(const std::vector<model::LayoutNode>& zones, LayoutArrays& layout) {
  std::vector<const model::LayoutNode*> sources;
  for (const auto& zone : zones) sources.push_back(&zone);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    FlatNode node = node_of(*sources[i]);
    const auto& children = sources[i]->children;
    if (is_list_of_tracks(children)) {
      node.first_child = static_cast<std::uint32_t>(layout.tracks.size());
      for (const auto& child : children) list_tracks(child, layout.tracks);
      node.children = kTrackList |
                      static_cast<std::uint32_t>(layout.tracks.size() - node.first_child);
    } else if (!children.empty()) {
      node.first_child = static_cast<std::uint32_t>(sources.size());
      node.children = static_cast<std::uint32_t>(children.size());
      for (const auto& child : children) sources.push_back(&child);
    }
    FlatExtent extent{};
    extent.count = sources[i]->count;
    layout.nodes.push_back(node);
    layout.extents.push_back(extent);
  }
}

template <typename T>
std::vector<T> copy_of(std::span<const T> items) {
  return {items.begin(), items.end()};
}

template <typename T>
bool same_bytes(std::span<const T> a, const std::vector<T>& b) {
  static_assert(std::has_unique_object_representations_v<T>);
  return a.size() == b.size() &&
         (b.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

LayoutView LayoutArrays::view() const {
  return {totals,      nodes,         tracks,         extents,          zone_slots,   zone_buckets,
          pieces.lbns, pieces.shifts, pieces.buckets, pieces.stretches, pieces.remaps};
}

LayoutArrays compile_layout(const model::Layout& source) {
  if (source.zones.empty())
    throw Error(ExitStatus::unsupported,
                "the model has no layout, so that no time can be told from it" +
                    (source.reason.empty() ? "" : " (" + source.reason + ")") +
                    "; take a model with a layout");
  LayoutArrays layout;
  layout.totals.zones = static_cast<std::uint32_t>(source.zones.size());
  flatten(source.zones, layout);
  if (auto defect = complete_tree(layout)) bad_layout(*defect);
  if (auto defect = compile_pieces(source, layout.totals.slots, layout.pieces)) bad_layout(*defect);
  layout.totals.blocks = layout.pieces.blocks;
  layout.totals.piece_shift = layout.pieces.bucket_shift;
  return layout;
}

std::optional<std::string> layout_defect(const LayoutView& layout) {
  LayoutArrays expected;
  expected.totals.zones = layout.totals.zones;
  expected.nodes = copy_of(layout.nodes);
  expected.tracks = copy_of(layout.tracks);
  expected.extents = copy_of(layout.extents);
  if (auto defect = complete_tree(expected)) return defect;
  if (layout.totals.blocks == 0) return "holds no blocks";
  if (layout.totals.blocks > expected.totals.slots) return "has sums that are not its parts'";
  expected.totals.blocks = layout.totals.blocks;
  expected.totals.piece_shift = layout.totals.piece_shift;
  if (!same_bytes(std::span(&layout.totals, 1), std::vector{expected.totals}))
    return "has sums that are not its parts'";
  if (!same_bytes(layout.nodes, expected.nodes) || !same_bytes(layout.tracks, expected.tracks) ||
      !same_bytes(layout.extents, expected.extents))
    return "has a node that miscounts its children";
  if (!same_bytes(layout.zone_slots, expected.zone_slots) ||
      !same_bytes(layout.zone_buckets, expected.zone_buckets))
    return "has an index that leads astray";
  return pieces_defect(layout);
}

}  // namespace platter::engine
