#include "engine/layout_tables.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/key_index.h"
#include "engine/layout_flatten.h"
#include "engine/run_list.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::engine {
namespace {

using Defect = std::optional<std::string>;

constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 48;
constexpr std::uint32_t kMaxDepth = 17;                    // a model's 16, and a group of runs
constexpr std::int64_t kFarthest = std::int64_t{1} << 30;  // of a relative cylinder or head
constexpr std::int64_t kFarthestHead = std::numeric_limits<std::int16_t>::max();
constexpr std::size_t kRootDensity = 2;
constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 24;

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

// A part of an array for the next of its owners in their order: the next items, or some that an
// owner before has.
class Shared {
 public:
  explicit Shared(std::size_t size) : size_(size) {}

  bool take(std::uint64_t begin, std::uint64_t count) {
    if (begin == taken_ && count <= size_ - taken_) {
      taken_ += count;
      return true;
    }
    return begin < taken_ && count <= taken_ - begin;
  }
  bool all_taken() const { return taken_ == size_; }

 private:
  std::size_t size_, taken_ = 0;
};

// Every number is one of `most`, and each of these is used: the first time in its order.
Defect check_numbers(std::span<const std::uint16_t> numbers, std::size_t most) {
  std::size_t used = 0;
  for (const std::uint16_t number : numbers) {
    if (number > used) return "has runs of a kind that is not there";
    used += number == used;
  }
  if (used > most) return "has runs of a kind that is not there";
  if (used < most) return "has kinds of runs that belong to nothing";
  return std::nullopt;
}

Defect check_kinds(RunArrays& runs) {
  for (const FlatCourse& course : runs.courses)
    if (course.count == 0) return "has a node with count 0";
  for (FlatSize& size : runs.sizes) {
    if (size.sectors == 0) return "has a track without sectors";
    if (size.sectors > model::kMostSectors) return "has a track with more sectors than any drive";
    size.reciprocal = reciprocal_of(size.sectors);
  }
  if (auto defect = check_numbers(runs.course_numbers, runs.courses.size())) return defect;
  return check_numbers(runs.size_numbers, runs.sizes.size());
}

// Lists of runs belong to one node each, in their order; what they are made of may be shared, so
// that a short file could say very many.
class RunOwners {
 public:
  explicit RunOwners(RunArrays& runs)
      : runs_(runs),
        jumps_(runs.jumps.size()),
        cylinders_(runs.cylinders.size()),
        courses_(runs.course_numbers.size()),
        sizes_(runs.size_numbers.size()) {}

  Defect take(const FlatNode& node) {
    const std::uint32_t count = listed(node);
    if (node.first_child != lists_ || lists_ == runs_.lists.size() || count == 0)
      return "has runs that are not its own";
    FlatRunList& list = runs_.lists[lists_++];
    if (!jumps_.take(list.first_jump, count - 1) || !cylinders_.take(list.first_cylinder, count) ||
        !courses_.take(list.first_course, count) || !sizes_.take(list.first_size, count))
      return "has runs that are not its own";
    list.first_chunk = static_cast<std::uint32_t>(chunks_);
    chunks_ += chunks_of(count);
    if (chunks_ > kMostRuns / kChunk) return "has more runs than any drive";
    return std::nullopt;
  }
  Defect at_end() {
    if (lists_ != runs_.lists.size() || !jumps_.all_taken() || !cylinders_.all_taken() ||
        !courses_.all_taken() || !sizes_.all_taken())
      return "has runs that belong to nothing";
    runs_.chunk_slots.resize(chunks_);
    runs_.chunk_angles.resize(chunks_);
    return std::nullopt;
  }

 private:
  RunArrays& runs_;
  Shared jumps_, cylinders_, courses_, sizes_;
  std::size_t lists_ = 0;
  std::uint64_t chunks_ = 0;
};

// What a node has instead of children, and of which of the others it is the child.
Defect check_kind(const FlatNode& node, const FlatExtent& extent, bool is_root) {
  if (extent.count == 0) return "has a node with count 0";
  if ((node.sectors == 0) == is_track(node))
    return "has a node that is neither a track nor a group of tracks";
  if (node.sectors > model::kMostSectors) return "has a track with more sectors than any drive";
  if (is_track(node) && node.first_child != 0) return "has a track with children";
  if (has_track_list(node) && has_run_list(node)) return "has a node with lists of two kinds";
  if (runs_are_zones(node) && (!has_run_list(node) || !is_root || extent.count != 1))
    return "has zones where none can be";
  return std::nullopt;
}

// A list of nodes is a tree: every node but the roots is the child of exactly one earlier node,
// every listed track belongs to exactly one of them, and so does every list of runs.
Defect check_tree(LayoutArrays& layout) {
  const auto& nodes = layout.nodes;
  const std::size_t roots = layout.totals.roots;
  if (roots == 0) return "has no zones";
  if (roots > nodes.size()) return "has zones that are not there";
  if (layout.extents.size() != nodes.size()) return "has nodes that cover nothing";
  if (auto defect = check_kinds(layout.runs)) return defect;
  std::vector<std::uint8_t> depth(nodes.size(), 1);
  std::size_t next = roots, next_track = 0;
  RunOwners runs(layout.runs);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const FlatNode& node = nodes[i];
    if (auto defect = check_kind(node, layout.extents[i], i < roots)) return defect;
    if (depth[i] > kMaxDepth) return "is nested more than 16 deep";
    if (is_track(node)) continue;
    if (has_run_list(node)) {
      if (auto defect = runs.take(node)) return defect;
      continue;
    }
    if (has_track_list(node)) {
      const std::uint32_t count = listed(node);
      if (node.first_child != next_track || count == 0 || count > layout.tracks.size() - next_track)
        return "has tracks that are not its own";
      next_track += count;
      continue;
    }
    if (node.first_child != next || next <= i || node.children > nodes.size() - next)
      return "has children that are not its own";
    const auto level = static_cast<std::uint8_t>(depth[i] + 1);
    for (std::uint32_t child = 0; child < node.children; ++child) depth[next++] = level;
  }
  if (next != nodes.size()) return "has nodes that belong to nothing";
  if (next_track != layout.tracks.size()) return "has tracks that belong to nothing";
  return runs.at_end();
}

// Adds `count` instances of a node behind what its parent holds so far.
Defect append(FlatNode& node, const FlatExtent& extent, std::uint64_t& slots) {
  if (node.slots > kMaxSlots / extent.count || slots > kMaxSlots - node.slots * extent.count)
    return "holds more sectors than any drive";
  node.first_slot = slots;
  slots += node.slots * extent.count;
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

// What one instance of a node holds, beside its slots.
struct Held {
  std::uint64_t tracks = 0;
  Covered covered{};
};

Defect sum_up_children(LayoutArrays& layout, const std::vector<std::uint64_t>& tracks,
                       FlatNode& node, Held& held) {
  for (std::uint32_t c = node.first_child; c < node.first_child + node.children; ++c) {
    FlatNode& child = layout.nodes[c];
    const FlatExtent& extent = layout.extents[c];
    if (auto defect = append(child, extent, node.slots)) return defect;
    held.tracks += tracks[c] * extent.count;
    Extent cylinders, heads;
    if (auto defect = covered(child, extent, cylinders, heads)) return defect;
    held.covered.add(cylinders, heads);
  }
  return std::nullopt;
}

Defect sum_up_tracks(LayoutArrays& layout, FlatNode& node, Held& held) {
  for (FlatTrack& track : listed_tracks(std::span(layout.tracks), node)) {
    if (track.sectors == 0) return "has a track without sectors";
    if (track.sectors > model::kMostSectors) return "has a track with more sectors than any drive";
    if (track.cylinder > kFarthest || track.cylinder < -kFarthest)
      return "has a cylinder or head outside the drive";
    track.first_slot = static_cast<std::uint32_t>(node.slots);
    node.slots += track.sectors;
    ++held.tracks;
    if (node.slots > kMostListed) return "has a list of tracks that is too long";
    held.covered.add({track.cylinder, track.cylinder}, {track.head, track.head});
  }
  return std::nullopt;
}

Defect sum_up_runs(RunArrays& runs, FlatNode& node, Held& held) {
  const FlatRunList& list = runs.lists[node.first_child];
  const std::uint32_t count = listed(node);
  std::uint64_t angle = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % kChunk == 0) {
      runs.chunk_slots[list.first_chunk + i / kChunk] = static_cast<std::uint32_t>(node.slots);
      runs.chunk_angles[list.first_chunk + i / kChunk] = angle;
    }
    const FlatCourse& course = runs.courses[runs.course_numbers[list.first_course + i]];
    const FlatSize& size = runs.sizes[runs.size_numbers[list.first_size + i]];
    node.slots += std::uint64_t{course.count} * size.sectors;
    held.tracks += course.count;
    if (node.slots > kMostListed) return "has a list of runs that is too long";
    Extent cylinders, heads;
    const std::int64_t cylinder = runs.cylinders[list.first_cylinder + i];
    if (auto defect = spread(cylinder, course.cylinder_step, course.count, {}, cylinders))
      return defect;
    if (auto defect = spread(course.head, course.head_step, course.count, {}, heads)) return defect;
    held.covered.add(cylinders, heads);
    if (i + 1 < count)
      angle += course.count * course.angle_step +
               (std::uint64_t{runs.jumps[list.first_jump + i]} << kJumpShift);
  }
  return std::nullopt;
}

Defect sum_up_inside(LayoutArrays& layout, const std::vector<std::uint64_t>& tracks, FlatNode& node,
                     Held& held) {
  if (has_track_list(node)) return sum_up_tracks(layout, node, held);
  if (has_run_list(node)) return sum_up_runs(layout.runs, node, held);
  return sum_up_children(layout, tracks, node, held);
}

// What the tree's nodes hold, from the leaves up; of `tracks`, one instance of each.
Defect sum_up(LayoutArrays& layout, std::vector<std::uint64_t>& tracks) {
  tracks.resize(layout.nodes.size());
  for (std::size_t i = layout.nodes.size(); i-- > 0;) {
    FlatNode& node = layout.nodes[i];
    FlatExtent& extent = layout.extents[i];
    node.slots = node.sectors;
    Held held;
    held.tracks = is_track(node) ? 1 : 0;
    if (auto defect = sum_up_inside(layout, tracks, node, held)) return defect;
    const Covered& all = held.covered;
    if (all.heads.low < -kFarthestHead || all.heads.high > kFarthestHead)
      return "has a cylinder or head outside the drive";
    tracks[i] = held.tracks;
    extent.cylinder_low = static_cast<std::int32_t>(all.cylinders.low);
    extent.cylinder_high = static_cast<std::int32_t>(all.cylinders.high);
    extent.head_low = static_cast<std::int16_t>(all.heads.low);
    extent.head_high = static_cast<std::int16_t>(all.heads.high);
    node.reciprocal = reciprocal_of(node.slots);
  }
  return std::nullopt;
}

// Which zone of the model is the first of each root; empty where each root is one.
void number_zones(LayoutArrays& layout) {
  layout.root_zones.clear();
  layout.totals.zones = 0;
  const auto roots = std::span(layout.nodes).first(layout.totals.roots);
  for (const FlatNode& root : roots) {
    layout.root_zones.push_back(layout.totals.zones);
    layout.totals.zones += runs_are_zones(root) ? listed(root) : 1;
  }
  if (std::ranges::none_of(roots, runs_are_zones)) layout.root_zones.clear();
}

Defect add_up_roots(LayoutArrays& layout, const std::vector<std::uint64_t>& tracks) {
  FlatLayout& totals = layout.totals;
  totals.slots = totals.tracks = 0;
  std::int64_t high_cylinder = 0, high_head = 0;
  layout.root_slots.clear();
  for (std::uint32_t r = 0; r < totals.roots; ++r) {
    layout.root_slots.push_back(totals.slots);
    if (auto defect = append(layout.nodes[r], layout.extents[r], totals.slots)) return defect;
    totals.tracks += tracks[r] * layout.extents[r].count;
    Extent cylinders, heads;
    if (auto defect = covered(layout.nodes[r], layout.extents[r], cylinders, heads)) return defect;
    if (cylinders.low < 0 || heads.low < 0) return "has a cylinder or head outside the drive";
    high_cylinder = std::max(high_cylinder, cylinders.high);
    high_head = std::max(high_head, heads.high);
  }
  totals.cylinders = static_cast<std::uint32_t>(high_cylinder + 1);
  totals.heads = static_cast<std::uint32_t>(high_head + 1);
  totals.root_shift = bucket_shift(totals.slots, totals.roots, kRootDensity);
  layout.root_buckets = build_buckets(layout.root_slots, totals.root_shift, totals.slots);
  pad(layout.root_slots);
  return std::nullopt;
}

// Everything that follows from what the tree says.
Defect complete_tree(LayoutArrays& layout) {
  if (auto defect = check_tree(layout)) return defect;
  std::vector<std::uint64_t> tracks;
  if (auto defect = sum_up(layout, tracks)) return defect;
  number_zones(layout);
  return add_up_roots(layout, tracks);
}

}  // namespace

LayoutView LayoutArrays::view() const {
  return {totals,       nodes,      tracks,      runs.view(),   extents,        root_slots,
          root_buckets, root_zones, pieces.lbns, pieces.shifts, pieces.buckets, pieces.stretches,
          pieces.remaps};
}

std::vector<std::uint32_t> piece_blocks(const LayoutView& layout) {
  std::vector<std::uint32_t> blocks;
  for (std::size_t i = 0; i < layout.piece_shifts.size(); ++i)
    blocks.push_back(layout.piece_lbns[i + 1] - layout.piece_lbns[i]);
  return blocks;
}

LayoutArrays compile_layout(const model::Layout& source, std::size_t few_nodes) {
  if (source.zones.empty())
    throw Error(ExitStatus::unsupported,
                "the model has no layout, so that no time can be told from it" +
                    (source.reason.empty() ? "" : " (" + source.reason + ")") +
                    "; take a model with a layout");
  FlatTree tree = flatten(source.zones, few_nodes);
  LayoutArrays layout;
  layout.totals.roots = tree.roots;
  layout.nodes = std::move(tree.nodes);
  layout.extents = std::move(tree.extents);
  layout.tracks = std::move(tree.tracks);
  layout.runs = std::move(tree.runs);
  if (auto defect = complete_tree(layout)) bad_layout(*defect);
  if (auto defect = compile_pieces(source, layout.totals.slots, layout.pieces)) bad_layout(*defect);
  layout.totals.blocks = layout.pieces.blocks;
  layout.totals.piece_shift = layout.pieces.bucket_shift;
  return layout;
}

std::optional<std::string> complete_layout(LayoutArrays& layout,
                                           std::span<const std::uint32_t> piece_blocks) {
  if (auto defect = complete_tree(layout)) return defect;
  if (auto defect = complete_pieces(layout.pieces, piece_blocks, layout.totals.slots))
    return defect;
  layout.totals.blocks = layout.pieces.blocks;
  layout.totals.piece_shift = layout.pieces.bucket_shift;
  return std::nullopt;
}

}  // namespace platter::engine
