#include "engine/layout_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/bucket_index.h"
#include "engine/layout_tables.h"
#include "engine/wide.h"

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

// Instances i of a node for which low <= origin + step * i + [one] can hold `wanted`.
Extent candidates(std::int64_t wanted, std::int64_t origin, std::int64_t step,
                  std::uint32_t count, const Extent& one) {
  const std::int64_t last = static_cast<std::int64_t>(count) - 1;
  const std::int64_t low = wanted - origin - one.high;  // low <= step * i <= high
  const std::int64_t high = wanted - origin - one.low;
  if (step == 0) return low <= 0 && 0 <= high ? Extent{0, last} : Extent{0, -1};
  const auto floor_div = [](std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
  };
  const auto ceil_div = [&](std::int64_t a, std::int64_t b) { return -floor_div(-a, b); };
  const std::int64_t from = step > 0 ? ceil_div(low, step) : ceil_div(high, step);
  const std::int64_t to = step > 0 ? floor_div(high, step) : floor_div(low, step);
  return {std::max<std::int64_t>(0, from), std::min(last, to)};
}

// Looks for a track among the instances of nodes[index]. Slot and angle are its parent's.
bool find_track(std::span<const FlatNode> nodes, std::uint32_t index, std::int64_t cylinder,
                std::int64_t head, std::uint64_t slot, Angle angle, Track& found) {
  const FlatNode& node = nodes[index];
  const Extent by_cylinder = candidates(cylinder, node.cylinder, node.cylinder_step, node.count,
                                        {node.cylinder_low, node.cylinder_high});
  const Extent by_head =
      candidates(head, node.head, node.head_step, node.count, {node.head_low, node.head_high});
  const std::int64_t from = std::max(by_cylinder.low, by_head.low);
  const std::int64_t to = std::min(by_cylinder.high, by_head.high);
  for (std::int64_t i = from; i <= to; ++i) {
    const std::uint64_t instance_slot =
        slot + node.first_slot + static_cast<std::uint64_t>(i) * node.slots;
    const Angle instance_angle = angle + node.angle + static_cast<Angle>(i) * node.angle_step;
    if (node.children == 0) {
      found.sectors = node.sectors;
      found.first_slot = instance_slot;
      found.angle = instance_angle;
      return true;
    }
    const std::int64_t at_cylinder = cylinder - node.cylinder - i * node.cylinder_step;
    const std::int64_t at_head = head - node.head - i * node.head_step;
    for (std::uint32_t child = 0; child < node.children; ++child)
      if (find_track(nodes, node.first_child + child, at_cylinder, at_head, instance_slot,
                     instance_angle, found))
        return true;
  }
  return false;
}

// The child that holds a slot of its parent's instance.
const FlatNode* child_at(std::span<const FlatNode> nodes, const FlatNode& parent,
                         std::uint64_t slot) {
  const auto children = nodes.subspan(parent.first_child, parent.children);
  if (children.size() == 1) return &children[0];
  return &*(std::ranges::upper_bound(children, slot, {}, &FlatNode::first_slot) - 1);
}

}  // namespace

LayoutMap::LayoutMap(const model::Layout& layout) {
  auto arrays = std::make_shared<const LayoutArrays>(compile_layout(layout));
  view_ = arrays->view();
  owner_ = std::move(arrays);
}

LayoutMap::LayoutMap(const LayoutView& view, std::shared_ptr<const void> owner)
    : view_(view), owner_(std::move(owner)) {}

std::uint64_t LayoutMap::sequential_slot(std::uint64_t lbn) const {
  const std::size_t behind = count_not_above(view_.skips, &FlatSkip::lbn, view_.skip_lbn_index,
                                             view_.totals.skip_lbn_shift, lbn);
  if (behind == 0) return lbn;
  const FlatSkip& skip = view_.skips[behind - 1];
  const std::uint64_t runs =
      skip.count == 1
          ? 1
          : std::min(skip.count, (lbn - skip.lbn) / (skip.stride - skip.length) + 1);
  return lbn + skip.skipped_before + runs * skip.length;
}

const FlatSkip* LayoutMap::skip_at_or_before(std::uint64_t slot) const {
  const std::size_t behind =
      count_not_above(view_.skips, &FlatSkip::first_slot, view_.skip_slot_index,
                      view_.totals.skip_slot_shift, slot);
  return behind == 0 ? nullptr : &view_.skips[behind - 1];
}

bool LayoutMap::is_remapped(std::uint64_t lbn) const {
  return std::ranges::binary_search(view_.remaps_by_lbn, lbn, {}, &FlatRemap::lbn);
}

std::uint64_t LayoutMap::last_before_remap(std::uint64_t lbn, std::uint64_t last) const {
  auto remap = std::ranges::upper_bound(view_.remaps_by_lbn, lbn, {}, &FlatRemap::lbn);
  return remap == view_.remaps_by_lbn.end() ? last : std::min(last, remap->lbn - 1);
}

std::uint64_t LayoutMap::slot_of_lbn(std::uint64_t lbn) const {
  if (!view_.remaps_by_lbn.empty()) {
    auto remap = std::ranges::lower_bound(view_.remaps_by_lbn, lbn, {}, &FlatRemap::lbn);
    if (remap != view_.remaps_by_lbn.end() && remap->lbn == lbn) return remap->slot;
  }
  return sequential_slot(lbn);
}

std::optional<std::uint64_t> LayoutMap::lbn_of_slot(std::uint64_t slot) const {
  auto remap = std::ranges::lower_bound(view_.remaps_by_slot, slot, {}, &FlatRemap::slot);
  if (remap != view_.remaps_by_slot.end() && remap->slot == slot) return remap->lbn;
  const std::uint64_t lbn = lbn_at_or_after_slot(slot);
  if (lbn >= blocks() || sequential_slot(lbn) != slot || is_remapped(lbn))
    return std::nullopt;
  return lbn;
}

std::uint64_t LayoutMap::lbn_at_or_after_slot(std::uint64_t slot) const {
  const FlatSkip* skip = skip_at_or_before(slot);
  if (skip == nullptr) return slot;
  const std::uint64_t from_first = slot - skip->first_slot;
  const std::uint64_t run =
      skip->count == 1 ? 0 : std::min(from_first / skip->stride, skip->count - 1);
  const std::uint64_t into_run = from_first - run * skip->stride;
  const std::uint64_t skipped = skip->skipped_before + run * skip->length;
  return into_run < skip->length ? slot - into_run - skipped : slot - skipped - skip->length;
}

Track LayoutMap::track_of_slot(std::uint64_t slot) const {
  const std::size_t zone =
      count_not_above(view_.nodes.first(view_.totals.zones), &FlatNode::first_slot,
                      view_.zone_index, view_.totals.zone_shift, slot) -
      1;
  Track track;
  track.zone = static_cast<std::uint32_t>(zone);
  std::int64_t cylinder = 0, head = 0;
  const FlatNode* node = &view_.nodes[zone];
  std::uint64_t rest = slot - node->first_slot;
  while (true) {
    // rest / slots, by the reciprocal: exact, or too small by one.
    auto instance = static_cast<std::uint64_t>((Uint128{rest} * node->reciprocal) >> 64);
    rest -= instance * node->slots;
    if (rest >= node->slots) {
      rest -= node->slots;
      ++instance;
    }
    const auto i = static_cast<std::int64_t>(instance);
    cylinder += node->cylinder + i * node->cylinder_step;
    head += node->head + i * node->head_step;
    track.angle += node->angle + instance * node->angle_step;
    if (node->children == 0) break;
    node = child_at(view_.nodes, *node, rest);
    rest -= node->first_slot;
  }
  track.cylinder = static_cast<std::uint32_t>(cylinder);
  track.head = static_cast<std::uint32_t>(head);
  track.sectors = node->sectors;
  track.first_slot = slot - rest;
  return track;
}

std::optional<Track> LayoutMap::track_at(std::uint32_t cylinder, std::uint32_t head) const {
  Track track;
  track.cylinder = cylinder;
  track.head = head;
  for (std::uint32_t zone = 0; zone < view_.totals.zones; ++zone) {
    track.zone = zone;
    if (find_track(view_.nodes, zone, cylinder, head, 0, 0, track)) return track;
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

Angle LayoutMap::angle_of_slot(const Track& track, std::uint64_t slot) const {
  // Exactly floor(2^64 * j / sectors), where 2^64 = whole * sectors + rest.
  const std::uint64_t sector = slot - track.first_slot;
  const std::uint64_t whole = ~std::uint64_t{0} / track.sectors;
  const std::uint64_t rest = std::uint64_t{0} - whole * track.sectors;
  return track.angle + whole * sector + rest * sector / track.sectors;
}

Angle LayoutMap::angle_of_lbn(std::uint64_t lbn) const {
  const std::uint64_t slot = slot_of_lbn(lbn);
  return angle_of_slot(track_of_slot(slot), slot);
}

}  // namespace platter::engine
