#include "engine/layout_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/int128.h"
#include "engine/layout_tables.h"

namespace platter::engine {

Angle angle_from_rev(double rev) {
  const double fraction = rev - std::floor(rev);
  // 2^64 * fraction; a fraction that rounds up to one turn is zero again.
  const double scaled = std::ldexp(fraction, 64);
  return scaled >= std::ldexp(1.0, 64) ? 0 : static_cast<Angle>(scaled);
}

double rev_from_angle(Angle angle) {
  const double rev = std::ldexp(static_cast<double>(angle), -64);
  return rev < 1.0 ? rev : 0.0;
}

namespace {

struct Extent {
  std::int64_t low = 0, high = 0;  // inclusive
};

// Whether any instance of a node can hold `wanted`; without a division.
bool covers(std::int64_t origin, std::int64_t step, std::uint32_t count, const Extent& one,
            std::int64_t wanted) {
  const std::int64_t span = step * (static_cast<std::int64_t>(count) - 1);
  return wanted >= origin + std::min<std::int64_t>(0, span) + one.low &&
         wanted <= origin + std::max<std::int64_t>(0, span) + one.high;
}

// Instances i of a node for which low <= origin + step * i + [one] can hold `wanted`.
Extent candidates(std::int64_t wanted, std::int64_t origin, std::int64_t step, std::uint32_t count,
                  const Extent& one) {
  const std::int64_t last = static_cast<std::int64_t>(count) - 1;
  const std::int64_t low = wanted - origin - one.high;  // low <= step * i <= high
  const std::int64_t high = wanted - origin - one.low;
  if (step == 0) return low <= 0 && 0 <= high ? Extent{0, last} : Extent{0, -1};
  if (step == 1) return {std::max<std::int64_t>(0, low), std::min(last, high)};
  const auto floor_div = [](std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
  };
  const auto ceil_div = [&](std::int64_t a, std::int64_t b) { return -floor_div(-a, b); };
  const std::int64_t from = step > 0 ? ceil_div(low, step) : ceil_div(high, step);
  const std::int64_t to = step > 0 ? floor_div(high, step) : floor_div(low, step);
  return {std::max<std::int64_t>(0, from), std::min(last, to)};
}

// The track of a list that holds slot `rest` of the node's instance: tracks are nearly of one
// length, so the right one is near where it would be if they were.
const FlatTrack& track_in_list(const LayoutView& layout, const FlatNode& node, std::uint64_t rest) {
  const std::span<const FlatTrack> tracks = listed_tracks(layout.tracks, node);
  const std::size_t count = tracks.size();
  auto at = static_cast<std::size_t>((Uint128{rest * count} * node.reciprocal) >> 64);
  while (tracks[at].first_slot > rest) --at;
  while (at + 1 < count && tracks[at + 1].first_slot <= rest) ++at;
  return tracks[at];
}

// Looks for a track of a list; cylinder, head, slot and angle are those of the node's instance.
bool find_listed_track(const LayoutView& layout, const FlatNode& node, std::int64_t cylinder,
                       std::int64_t head, std::uint64_t slot, Angle angle, Track& found) {
  for (const FlatTrack& track : listed_tracks(layout.tracks, node)) {
    if (track.cylinder != cylinder || track.head != head) continue;
    found.sectors = track.sectors;
    found.first_slot = slot + track.first_slot;
    found.angle = angle + track.angle;
    found.slot_angle = reciprocal_of(track.sectors);
    return true;
  }
  return false;
}

// The same in a list of runs.
bool find_run(const LayoutView& layout, const FlatNode& node, std::int64_t cylinder,
              std::int64_t head, std::uint64_t slot, Angle angle, Track& found) {
  const std::uint32_t runs = listed(node);
  for (RunWalk walk(layout.runs, node);; walk.next()) {
    const FlatCourse& course = walk.course();
    if (covers(walk.cylinder(), course.cylinder_step, course.count, {}, cylinder) &&
        covers(course.head, course.head_step, course.count, {}, head)) {
      const Extent by_cylinder = candidates(cylinder, walk.cylinder(), course.cylinder_step,
                                            course.count, {});
      const Extent by_head = candidates(head, course.head, course.head_step, course.count, {});
      const std::int64_t step = std::max(by_cylinder.low, by_head.low);
      if (step <= std::min(by_cylinder.high, by_head.high)) {
        const auto turns = static_cast<std::uint64_t>(step);
        found.sectors = walk.size().sectors;
        found.first_slot = slot + walk.first_slot() + turns * walk.size().sectors;
        found.angle = angle + walk.angle() + turns * course.angle_step;
        found.slot_angle = walk.size().reciprocal;
        if (runs_are_zones(node)) found.zone += walk.number();
        return true;
      }
    }
    if (walk.number() + 1 == runs) return false;
  }
}

// Looks for a track among the instances of nodes[index]. Slot and angle are its parent's.
bool find_track(const LayoutView& layout, std::uint32_t index, std::int64_t cylinder,
                std::int64_t head, std::uint64_t slot, Angle angle, Track& found) {
  const FlatNode& node = layout.nodes[index];
  const FlatExtent& extent = layout.extents[index];
  if (!covers(node.cylinder, node.cylinder_step, extent.count,
              {extent.cylinder_low, extent.cylinder_high}, cylinder))
    return false;
  const Extent by_cylinder = candidates(cylinder, node.cylinder, node.cylinder_step, extent.count,
                                        {extent.cylinder_low, extent.cylinder_high});
  const Extent by_head = candidates(head, node.head, node.head_step, extent.count,
                                    {extent.head_low, extent.head_high});
  const std::int64_t from = std::max(by_cylinder.low, by_head.low);
  const std::int64_t to = std::min(by_cylinder.high, by_head.high);
  for (std::int64_t i = from; i <= to; ++i) {
    const std::uint64_t instance_slot = slot + node.first_slot +
                                        static_cast<std::uint64_t>(i) * node.slots;
    const Angle instance_angle = angle + node.angle + static_cast<Angle>(i) * node.angle_step;
    if (is_track(node)) {
      found.sectors = node.sectors;
      found.first_slot = instance_slot;
      found.angle = instance_angle;
      found.slot_angle = node.reciprocal;
      return true;
    }
    const std::int64_t at_cylinder = cylinder - node.cylinder - i * node.cylinder_step;
    const std::int64_t at_head = head - node.head - i * node.head_step;
    if (has_list(node)) {
      const auto find = has_track_list(node) ? find_listed_track : find_run;
      if (find(layout, node, at_cylinder, at_head, instance_slot, instance_angle, found))
        return true;
      continue;
    }
    for (std::uint32_t child = 0; child < node.children; ++child)
      if (find_track(layout, node.first_child + child, at_cylinder, at_head, instance_slot,
                     instance_angle, found))
        return true;
  }
  return false;
}

// The child that holds a slot of its parent's instance.
const FlatNode& child_at(const FlatNode* nodes, const FlatNode& parent, std::uint64_t slot) {
  const FlatNode* const first = nodes + parent.first_child;
  std::uint32_t behind = 0;
  if (parent.children <= 8) {
    for (std::uint32_t c = 1; c < parent.children; ++c) behind += first[c].first_slot <= slot;
  } else {
    const auto children = std::span(first, parent.children);
    behind = static_cast<std::uint32_t>(
        std::ranges::upper_bound(children, slot, {}, &FlatNode::first_slot) - children.begin() - 1);
  }
  return first[behind];
}

}  // namespace

LayoutMap::LayoutMap(const model::Layout& layout) {
  auto arrays = std::make_shared<const LayoutArrays>(compile_layout(layout));
  *this = LayoutMap(arrays->view(), arrays);
}

LayoutMap::LayoutMap(const LayoutView& view, std::shared_ptr<const void> owner)
    : view_(view),
      roots_{view.root_slots, view.root_buckets, view.totals.root_shift},
      pieces_(view),
      owner_(std::move(owner)) {}

const FlatRemap* LayoutMap::remap_into(std::uint64_t slot) const {
  const auto remap = std::ranges::lower_bound(view_.remaps, slot, {}, &FlatRemap::slot);
  return remap != view_.remaps.end() && remap->slot == slot ? &*remap : nullptr;
}

std::optional<std::uint64_t> LayoutMap::lbn_of_slot(std::uint64_t slot) const {
  if (const FlatRemap* remap = remap_into(slot)) return remap->lbn;
  const std::uint64_t lbn = lbn_at_or_after_slot(slot);
  if (lbn >= blocks() || pieces_.sequential_slot(lbn) != slot || is_remapped(lbn))
    return std::nullopt;
  return lbn;
}

Track LayoutMap::track_of_slot(std::uint64_t slot) const {
  Track track;
  look_up_track(slot, track);
  return track;
}

void LayoutMap::look_up_track(std::uint64_t slot, Track& track) const {
  const FlatNode* const nodes = view_.nodes.data();
  const std::size_t root = roots_.count_not_above(slot) - 1;
  track.zone = first_zone(root);
  const FlatNode* node = nodes + root;
  std::int64_t cylinder = 0, head = 0;
  Angle angle = 0;
  std::uint64_t rest = slot;
  while (true) {
    rest -= node->first_slot;
    const std::uint64_t instance = quotient(rest, node->slots, node->reciprocal);
    rest -= instance * node->slots;
    const auto i = static_cast<std::int64_t>(instance);
    cylinder += node->cylinder + i * node->cylinder_step;
    head += node->head + i * node->head_step;
    angle += node->angle + instance * node->angle_step;
    if (is_track(*node)) break;
    if (has_track_list(*node)) {
      const FlatTrack& last = track_in_list(view_, *node, rest);
      track.cylinder = static_cast<std::uint32_t>(cylinder + last.cylinder);
      track.head = static_cast<std::uint32_t>(head + last.head);
      track.sectors = last.sectors;
      track.slot_angle = reciprocal_of(last.sectors);
      track.angle = angle + last.angle;
      track.first_slot = slot - rest + last.first_slot;
      return;
    }
    if (has_run_list(*node)) {
      track.angle = angle;
      find_in_run(*node, slot, rest, cylinder, head, track);
      return;
    }
    node = &child_at(nodes, *node, rest);
  }
  track.cylinder = static_cast<std::uint32_t>(cylinder);
  track.head = static_cast<std::uint32_t>(head);
  track.sectors = node->sectors;
  track.slot_angle = node->reciprocal;
  track.angle = angle;
  track.first_slot = slot - rest;
}

void LayoutMap::find_in_run(const FlatNode& node, std::uint64_t slot, std::uint64_t rest,
                            std::int64_t cylinder, std::int64_t head, Track& track) const {
  const RunWalk run(view_.runs, node, rest);
  const FlatCourse& course = run.course();
  const FlatSize& size = run.size();
  rest -= run.first_slot();
  const std::uint64_t step = quotient(rest, size.sectors, size.reciprocal);
  rest -= step * size.sectors;
  const auto i = static_cast<std::int64_t>(step);
  track.cylinder = static_cast<std::uint32_t>(cylinder + run.cylinder() + i * course.cylinder_step);
  track.head = static_cast<std::uint32_t>(head + course.head + i * course.head_step);
  track.sectors = size.sectors;
  track.slot_angle = size.reciprocal;
  track.angle += run.angle() + step * course.angle_step;
  track.first_slot = slot - rest;
  if (runs_are_zones(node)) track.zone += run.number();
}

std::optional<Track> LayoutMap::track_at(std::uint32_t cylinder, std::uint32_t head) const {
  Track track;
  track.cylinder = cylinder;
  track.head = head;
  for (std::uint32_t root = 0; root < view_.totals.roots; ++root) {
    track.zone = first_zone(root);
    if (find_track(view_, root, cylinder, head, 0, 0, track)) return track;
  }
  return std::nullopt;
}

Pbn LayoutMap::pbn_of_lbn(std::uint64_t lbn) const {
  const std::uint64_t slot = slot_of_lbn(lbn);
  const Track track = track_of_slot(slot);
  return {track.cylinder, track.head, static_cast<std::uint32_t>(slot - track.first_slot)};
}

std::optional<std::uint64_t> LayoutMap::lbn_of_pbn(const Pbn& pbn) const {
  const auto track = track_at(pbn.cylinder, pbn.head);
  if (!track || pbn.sector >= track->sectors) return std::nullopt;
  return lbn_of_slot(track->first_slot + pbn.sector);
}

Angle LayoutMap::angle_of_lbn(std::uint64_t lbn) const {
  const std::uint64_t slot = slot_of_lbn(lbn);
  return angle_of_slot(track_of_slot(slot), slot);
}

}  // namespace platter::engine
