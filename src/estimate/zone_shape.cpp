#include "estimate/zone_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/circular.h"

namespace platter::estimate {
namespace {

// Of what is known at all: an angle that may be anywhere has no error.
std::optional<double> known_error(double variance_rev2) {
  constexpr double kAnywhere_rev = 0.3;
  const double error = std::sqrt(std::max(variance_rev2, 0.0));
  return error < kAnywhere_rev ? std::optional(error) : std::nullopt;
}

}  // namespace

ZoneShape::ZoneShape(const model::LayoutNode& zone, std::uint64_t first_slot,
                     const engine::LayoutMap& map, std::vector<LbnRange> left_out)
    : zone_(zone), first_slot_(first_slot), map_(map), left_out_(std::move(left_out)) {
  add(zone_, std::nullopt, 0);
  find_blocks();
  for (const Node& node : nodes_)
    for (const std::uint32_t child : node.children)
      nodes_[child].is_reference = child == reference_of(node);
  for (Node& node : nodes_) {
    if (node.parent && !node.holds_blocks) continue;
    if (!node.parent || !node.is_reference) node.start_unknown = unknowns_++;
    if (node.source->count > 1) node.step_unknown = unknowns_++;
  }
  if (solvable()) choose_bases();
}

std::uint32_t ZoneShape::add(const model::LayoutNode& source, std::optional<std::uint32_t> parent,
                             std::uint64_t offset) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(
      Node{.source = &source, .parent = parent, .offset = offset, .slots = source.sectors});
  std::uint64_t slots = source.sectors;
  for (std::size_t i = 0; i < source.children.size(); ++i) {
    const std::uint32_t child = add(source.children[i], number, slots);
    nodes_[number].children.push_back(child);
    slots += nodes_[child].slots * source.children[i].count;
  }
  nodes_[number].slots = slots;
  return number;
}

// Of all repetitions of a track one tells.
void ZoneShape::find_blocks() {
  const std::uint64_t end = first_slot_ + slots();
  std::size_t without = nodes_.size();
  for (std::uint64_t slot = first_slot_; slot < end && without > 0;) {
    const std::uint64_t lbn = map_.lbn_at_or_after_slot(slot);
    if (lbn >= map_.blocks()) return;
    // One that was remapped lies elsewhere, and others of the track may be in use.
    if (!map_.is_remapped(lbn)) slot = std::max(slot, map_.slot_of_lbn(lbn));
    if (slot >= end) return;
    const TrackPath path = path_of_slot(slot);
    for (const auto& step : path.steps)
      if (!std::exchange(nodes_[step.node].holds_blocks, true)) --without;
    const auto [leaf, instance] = path.steps.back();
    slot = first_slot_of(path) + nodes_[leaf].slots * (count(leaf) - instance);
  }
}

// The first child that holds any block: what has none cannot be read.
std::uint32_t ZoneShape::reference_of(const Node& node) const {
  const auto found = std::ranges::find_if(
      node.children, [this](std::uint32_t child) { return nodes_[child].holds_blocks; });
  return found == node.children.end() ? node.children.front() : *found;
}

TrackPath ZoneShape::path_of_slot(std::uint64_t slot) const {
  TrackPath path;
  std::uint64_t rest = slot - first_slot_;
  std::uint32_t node = 0;
  while (true) {
    const Node& at = nodes_[node];
    path.steps.push_back({node, static_cast<std::uint32_t>(rest / at.slots)});
    rest %= at.slots;
    if (at.children.empty()) return path;
    std::size_t child = at.children.size() - 1;
    while (nodes_[at.children[child]].offset > rest) --child;
    node = at.children[child];
    rest -= nodes_[node].offset;
  }
}

std::uint64_t ZoneShape::first_slot_of(const TrackPath& path) const {
  std::uint64_t slot = first_slot_;
  for (const auto& step : path.steps)
    slot += nodes_[step.node].offset + nodes_[step.node].slots * step.instance;
  return slot;
}

std::uint32_t ZoneShape::sectors_of(const TrackPath& path) const {
  return nodes_[path.steps.back().node].source->sectors;
}

void ZoneShape::descend_base(TrackPath& path) const {
  while (!nodes_[path.steps.back().node].children.empty()) {
    const std::uint32_t child = reference_of(nodes_[path.steps.back().node]);
    path.steps.push_back({child, nodes_[child].base});
  }
}

TrackPath ZoneShape::base_path(std::uint32_t node, std::uint32_t instance) const {
  TrackPath path;
  std::vector<std::uint32_t> chain{node};
  while (nodes_[chain.back()].parent) chain.push_back(*nodes_[chain.back()].parent);
  for (std::size_t i = chain.size(); i-- > 1;)
    path.steps.push_back({chain[i], nodes_[chain[i]].base});
  path.steps.push_back({node, instance});
  descend_base(path);
  return path;
}

TrackPath ZoneShape::path_within(std::uint32_t node, std::uint32_t instance, double share) const {
  const Node& whole = nodes_[node];
  std::uint64_t slot = first_slot_ + whole.offset + whole.slots * instance;
  for (auto parent = whole.parent; parent; parent = nodes_[*parent].parent)
    slot += nodes_[*parent].offset + nodes_[*parent].slots * nodes_[*parent].base;
  const auto within = static_cast<std::uint64_t>(share * static_cast<double>(whole.slots));
  return path_of_slot(slot + std::min(within, whole.slots - 1));
}

bool ZoneShape::usable(const TrackPath& path) const {
  const std::uint64_t first = first_slot_of(path);
  const std::uint64_t lbn = map_.lbn_at_or_after_slot(first);
  if (lbn >= map_.blocks()) return false;
  if (const auto hole = std::ranges::lower_bound(left_out_, lbn, {}, &LbnRange::last);
      hole != left_out_.end() && hole->first < map_.lbn_at_or_after_slot(first + sectors_of(path)))
    return false;
  const std::uint64_t slot_of_it = map_.slot_of_lbn(lbn);
  if (slot_of_it >= first && slot_of_it < first + sectors_of(path)) return true;
  if (!map_.is_remapped(lbn)) return false;
  // A remapped LBN lives elsewhere; its place in the sequence still says that the track is in use.
  for (std::uint64_t slot = first; slot < first + sectors_of(path); ++slot)
    if (map_.lbn_of_slot(slot)) return true;
  return false;
}

std::vector<double> ZoneShape::row(const TrackPath& path) const {
  std::vector<double> row(unknowns_, 0.0);
  for (const auto& step : path.steps) {
    const Node& node = nodes_[step.node];
    if (node.start_unknown) row[*node.start_unknown] = 1.0;
    if (node.step_unknown)
      row[*node.step_unknown] = static_cast<double>(step.instance) - static_cast<double>(node.base);
  }
  return row;
}

std::vector<std::optional<TrackPath>> ZoneShape::introductions() const {
  std::vector<std::optional<TrackPath>> result(unknowns_);
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (node.start_unknown) {
      const TrackPath path = base_path(n, node.base);
      if (usable(path)) result[*node.start_unknown] = path;
    }
    if (node.step_unknown) {
      for (const std::int64_t by : {+1, -1}) {
        const std::int64_t instance = std::int64_t{node.base} + by;
        if (instance < 0 || instance >= std::int64_t{node.source->count}) continue;
        const TrackPath path = base_path(n, static_cast<std::uint32_t>(instance));
        if (!usable(path)) continue;
        result[*node.step_unknown] = path;
        break;
      }
    }
  }
  return result;
}

std::vector<TrackPath> ZoneShape::corners() const {
  std::vector<TrackPath> result;
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    const std::uint32_t last = nodes_[n].source->count - 1;
    for (const std::uint32_t instance : {0u, last}) {
      const TrackPath path = base_path(n, instance);
      if (usable(path)) result.push_back(path);
      if (last == 0) break;
    }
  }
  return result;
}

// Wherever the tracks that are needed hold LBNs (spares and reserved areas lie at the ends): first
// instances as far as that goes, else another base for the node that lacks its track.
void ZoneShape::choose_bases() {
  // Where a node begins matters more than its step: of one usable track no step is needed.
  const auto missing = [this] {
    const auto found = introductions();
    std::uint32_t count = 0;
    for (const Node& node : nodes_) {
      if (node.start_unknown && !found[*node.start_unknown]) count += 2;
      if (node.step_unknown && !found[*node.step_unknown]) count += 1;
    }
    return count;
  };
  auto fewest = missing();
  constexpr std::uint32_t kCandidates = 33;
  for (Node& node : nodes_) {
    if (fewest == 0) return;
    const std::uint32_t last = node.source->count - 1;
    std::uint32_t best = node.base;
    for (std::uint32_t i = 0; i < kCandidates && fewest > 0; ++i) {
      // Close to the beginning first, then all over.
      const auto base =
          i <= 8 ? std::min(i, last)
                 : static_cast<std::uint32_t>(std::uint64_t{last} * (i - 8) / (kCandidates - 9));
      node.base = base;
      if (const auto now = missing(); now < fewest) {
        fewest = now;
        best = base;
      }
    }
    node.base = best;
  }
}

double ZoneShape::base_offset(std::uint32_t number, const std::vector<double>& unknowns) const {
  const Node& node = nodes_[number];
  if (node.children.empty()) return 0;
  const std::uint32_t reference = reference_of(node);
  const Node& child = nodes_[reference];
  const double step = child.step_unknown ? unknowns[*child.step_unknown] : 0.0;
  return child.base * step + base_offset(reference, unknowns);
}

model::LayoutNode ZoneShape::set_angles(std::uint32_t number, const std::vector<double>& unknowns,
                                        const statistics::Matrix& covariance) const {
  const Node& node = nodes_[number];
  model::LayoutNode result = *node.source;
  const double step = node.step_unknown ? unknowns[*node.step_unknown] : 0.0;
  result.angle_step_rev = statistics::turn_rev(step);
  result.angle_error_rev = result.angle_step_error_rev = std::nullopt;
  if (node.step_unknown && covariance.rows > 0)
    result.angle_step_error_rev =
        known_error(covariance.at(*node.step_unknown, *node.step_unknown));
  result.angle_rev = 0;
  if (node.start_unknown) {
    // Where its base track is, back to the beginning of its first instance.
    double angle = unknowns[*node.start_unknown] - node.base * step - base_offset(number, unknowns);
    if (node.parent) angle += base_offset(*node.parent, unknowns);
    result.angle_rev = statistics::turn_rev(angle);
  }
  for (std::size_t i = 0; i < node.children.size(); ++i)
    result.children[i] = set_angles(node.children[i], unknowns, covariance);
  return result;
}

model::LayoutNode ZoneShape::with_angles(const std::vector<double>& unknowns,
                                         const statistics::Matrix& covariance) const {
  model::LayoutNode zone = set_angles(0, unknowns, covariance);
  if (covariance.rows == 0) return zone;
  const std::vector<double> first = row(path_of_slot(first_slot_));
  double variance = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = 0; j < first.size(); ++j)
      variance += first[i] * covariance.at(i, j) * first[j];
  zone.angle_error_rev = known_error(variance);
  return zone;
}

namespace {

// Cuts `node` (number `wanted`, counted in preorder by `next`) in two; true if it lay in here.
bool split_child(model::LayoutNode& parent, std::uint32_t wanted, std::uint32_t instance,
                 std::uint32_t& next) {
  for (std::size_t i = 0; i < parent.children.size(); ++i) {
    if (next++ == wanted) {
      model::LayoutNode rest = parent.children[i];
      rest.cylinder += rest.cylinder_step * static_cast<std::int32_t>(instance);
      rest.head += rest.head_step * static_cast<std::int32_t>(instance);
      rest.count -= instance;
      parent.children[i].count = instance;
      parent.children.insert(parent.children.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
      return true;
    }
    if (split_child(parent.children[i], wanted, instance, next)) return true;
  }
  return false;
}

}  // namespace

std::vector<model::LayoutNode> split_zone(const model::LayoutNode& zone, std::uint32_t node,
                                          std::uint32_t instance) {
  if (node == 0) {
    model::LayoutNode first = zone, rest = zone;
    first.count = instance;
    rest.count -= instance;
    rest.cylinder += rest.cylinder_step * static_cast<std::int32_t>(instance);
    rest.head += rest.head_step * static_cast<std::int32_t>(instance);
    rest.angle_rev += rest.angle_step_rev * instance;
    return {first, rest};
  }
  model::LayoutNode whole = zone;
  std::uint32_t next = 1;
  split_child(whole, node, instance, next);
  return {whole};
}

}  // namespace platter::estimate
