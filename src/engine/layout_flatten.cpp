#include "engine/layout_flatten.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>

#include "engine/layout_map.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::engine {
namespace {

using model::LayoutNode;

constexpr std::size_t kFewChildren = 8;  // nodes that are looked through without a search
constexpr std::int64_t kFarthestTrack = std::int64_t{1} << 30;

FlatNode node_of(const LayoutNode& source) {
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

// Whether the children are tracks that are listed one by one: in less room than as many nodes take,
// and not many of which most are runs of more, for which there are lists of runs.
bool is_list_of_tracks(const std::vector<LayoutNode>& children, bool has_lists_of_runs) {
  std::uint64_t tracks = 0, singles = 0;
  for (const auto& child : children) {
    if (child.sectors == 0 || !child.children.empty() || child.count > 255) return false;
    tracks += child.count;
    singles += child.count == 1;
  }
  if (has_lists_of_runs && children.size() > kFewChildren && 2 * singles <= children.size())
    return false;
  return tracks > 1 &&
         tracks * sizeof(FlatTrack) < children.size() * (sizeof(FlatNode) + sizeof(FlatExtent));
}

void list_tracks(const LayoutNode& source, std::vector<FlatTrack>& tracks) {
  const FlatNode run = node_of(source);
  for (std::uint32_t i = 0; i < source.count; ++i) {
    const auto step = static_cast<std::int64_t>(i);
    const std::int64_t cylinder = run.cylinder + step * run.cylinder_step;
    const std::int64_t head = run.head + step * run.head_step;
    if (std::abs(cylinder) > kFarthestTrack ||
        std::abs(head) > std::numeric_limits<std::int16_t>::max())
      bad_layout("has a cylinder or head outside the drive");
    tracks.push_back({run.angle + i * run.angle_step, 0, run.sectors,
                      static_cast<std::int32_t>(cylinder), static_cast<std::int16_t>(head)});
  }
}

std::size_t nodes_in(const std::vector<LayoutNode>& siblings) {
  std::size_t nodes = siblings.size();
  for (const LayoutNode& one : siblings) nodes += nodes_in(one.children);
  return nodes;
}

class Flattener {
 public:
  Flattener(FlatTree& tree, bool has_lists)
      : tree_(tree), has_lists_(has_lists), lister_(tree.runs) {}

  // Level by level, so that children lie side by side.
  void flatten(const std::vector<LayoutNode>& zones) {
    plan(zones, 1);
    tree_.roots = static_cast<std::uint32_t>(planned_.size());
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      const Planned planned = planned_[i];
      FlatExtent extent{};
      extent.count = planned.source == nullptr ? 1 : planned.source->count;
      tree_.nodes.push_back(planned.source == nullptr ? group_of(planned)
                                                      : node_with_children(planned));
      tree_.extents.push_back(extent);
    }
  }

 private:
  // A node of the model; or, without a source, a group of many that are runs.
  struct Planned {
    const LayoutNode* source;
    std::span<const LayoutNode> runs;
    int level;  // of the model's nodes, from 1
  };

  // How many of the nodes, from the first one on, go into a list; 0: too few.
  std::size_t many_runs(std::span<const LayoutNode> nodes) const {
    const std::size_t runs = has_lists_ ? lister_.fitting(nodes) : 0;
    return runs > kFewChildren ? runs : 0;
  }

  // Siblings; as many as there are side by side become a group.
  void plan(std::span<const LayoutNode> nodes, int level) {
    if (level > model::kDeepestLayout) bad_layout("is nested more than 16 deep");
    while (!nodes.empty()) {
      const std::size_t runs = many_runs(nodes);
      const bool many = runs > 0;
      if (many)
        planned_.push_back({nullptr, nodes.first(runs), level});
      else
        planned_.push_back({&nodes.front(), {}, level});
      nodes = nodes.subspan(many ? runs : 1);
    }
  }

  FlatNode group_of(const Planned& group) {
    FlatNode node{};
    node.cylinder = group.runs.front().cylinder;
    list_runs(group.runs, node.cylinder, node);
    if (group.level == 1) node.children |= kRunsAreZones;
    return node;
  }

  FlatNode node_with_children(const Planned& planned) {
    const std::vector<LayoutNode>& children = planned.source->children;
    FlatNode node = node_of(*planned.source);
    if (is_list_of_tracks(children, has_lists_)) {
      node.first_child = static_cast<std::uint32_t>(tree_.tracks.size());
      for (const auto& child : children) list_tracks(child, tree_.tracks);
      node.children = kTrackList |
                      static_cast<std::uint32_t>(tree_.tracks.size() - node.first_child);
    } else if (!children.empty() && many_runs(children) == children.size()) {
      list_runs(children, 0, node);
    } else if (!children.empty()) {
      node.first_child = static_cast<std::uint32_t>(planned_.size());
      plan(children, planned.level + 1);
      node.children = static_cast<std::uint32_t>(planned_.size() - node.first_child);
    }
    return node;
  }

  void list_runs(std::span<const LayoutNode> sources, std::int32_t cylinder, FlatNode& node) {
    std::vector<FlatNode> runs;
    std::vector<std::uint32_t> counts;
    for (const LayoutNode& source : sources) {
      runs.push_back(node_of(source));
      counts.push_back(source.count);
    }
    node.angle += runs.front().angle;
    node.first_child = lister_.add(runs, counts, cylinder);
    node.children = kRunList | static_cast<std::uint32_t>(runs.size());
  }

  FlatTree& tree_;
  bool has_lists_;
  RunLister lister_;
  std::vector<Planned> planned_{};
};

}  // namespace

void bad_layout(const std::string& what) {
  throw Error(ExitStatus::bad_input, "the model's layout " + what + "; correct the model file");
}

FlatTree flatten(const std::vector<LayoutNode>& zones, std::size_t few) {
  FlatTree tree;
  Flattener(tree, nodes_in(zones) > few).flatten(zones);
  return tree;
}

}  // namespace platter::engine
