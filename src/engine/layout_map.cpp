#include "engine/layout_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/wide.h"
#include "model/error.h"

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

constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 48;
constexpr std::uint32_t kMaxDepth = 16;

[[noreturn]] void bad_layout(const std::string& what) {
  throw Error(ExitStatus::bad_input, "the model's layout " + what + "; correct the model file");
}

struct Extent {
  std::int64_t low = 0, high = 0;  // inclusive
};

// A node with what one instance of it holds, computed once.
struct Node {
  std::uint32_t count;
  std::int32_t cylinder, cylinder_step, head, head_step;
  Angle angle, angle_step;
  std::uint32_t sectors;                // leaf
  std::uint64_t slots, tracks;          // one instance
  Extent cylinders, heads;              // one instance, relative to its own origin
  std::vector<Node> children;
  std::vector<std::uint64_t> child_slots;  // first slot of each child within an instance

  std::uint64_t all_slots() const { return slots * count; }
  std::uint64_t all_tracks() const { return tracks * count; }
  bool leaf() const { return children.empty(); }
};

// Extent of all instances, relative to the parent's instance.
Extent spread(std::int64_t origin, std::int64_t step, std::uint32_t count, const Extent& one) {
  const std::int64_t last = step * (static_cast<std::int64_t>(count) - 1);
  return {origin + one.low + std::min<std::int64_t>(0, last),
          origin + one.high + std::max<std::int64_t>(0, last)};
}

void widen(Extent& extent, const Extent& other, bool first) {
  extent = first ? other
                 : Extent{std::min(extent.low, other.low), std::max(extent.high, other.high)};
}

Node compile(const model::LayoutNode& source, std::uint32_t depth) {
  if (depth > kMaxDepth) bad_layout("is nested more than 16 deep");
  if (source.count == 0) bad_layout("has a node with count 0");
  if (source.children.empty() == (source.sectors == 0))
    bad_layout("has a node that is neither a track nor a group of tracks");
  if (!std::isfinite(source.angle_rev) || !std::isfinite(source.angle_step_rev))
    bad_layout("has an angle that is no number");

  Node node{};
  node.count = source.count;
  node.cylinder = source.cylinder;
  node.cylinder_step = source.cylinder_step;
  node.head = source.head;
  node.head_step = source.head_step;
  node.angle = angle_from_rev(source.angle_rev);
  node.angle_step = angle_from_rev(source.angle_step_rev);
  node.sectors = source.sectors;
  if (source.sectors > 0) {
    node.slots = source.sectors;
    node.tracks = 1;
    return node;
  }
  bool first = true;
  for (const auto& child_source : source.children) {
    Node child = compile(child_source, depth + 1);
    node.child_slots.push_back(node.slots);
    if (child.slots > kMaxSlots / child.count || node.slots > kMaxSlots - child.all_slots())
      bad_layout("holds more sectors than any drive");
    node.slots += child.all_slots();
    node.tracks += child.all_tracks();
    widen(node.cylinders,
          spread(child.cylinder, child.cylinder_step, child.count, child.cylinders), first);
    widen(node.heads, spread(child.head, child.head_step, child.count, child.heads), first);
    first = false;
    node.children.push_back(std::move(child));
  }
  return node;
}

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

bool find_track(const Node& node, std::int64_t cylinder, std::int64_t head, std::uint64_t slot,
                Angle angle, Track& found) {
  const Extent by_cylinder =
      candidates(cylinder, node.cylinder, node.cylinder_step, node.count, node.cylinders);
  const Extent by_head = candidates(head, node.head, node.head_step, node.count, node.heads);
  const std::int64_t from = std::max(by_cylinder.low, by_head.low);
  const std::int64_t to = std::min(by_cylinder.high, by_head.high);
  for (std::int64_t i = from; i <= to; ++i) {
    const std::uint64_t instance_slot = slot + static_cast<std::uint64_t>(i) * node.slots;
    const Angle instance_angle =
        angle + node.angle + static_cast<Angle>(i) * node.angle_step;
    if (node.leaf()) {
      found.sectors = node.sectors;
      found.first_slot = instance_slot;
      found.angle = instance_angle;
      return true;
    }
    const std::int64_t at_cylinder = cylinder - node.cylinder - i * node.cylinder_step;
    const std::int64_t at_head = head - node.head - i * node.head_step;
    for (std::size_t child = 0; child < node.children.size(); ++child)
      if (find_track(node.children[child], at_cylinder, at_head,
                     instance_slot + node.child_slots[child], instance_angle, found))
        return true;
  }
  return false;
}

struct CompiledSkip {
  std::uint64_t first_slot, length, count, stride;
  std::uint64_t lbn;             // the LBN that lies behind the first run
  std::uint64_t skipped_before;  // slots skipped by earlier entries

  std::uint64_t end() const { return first_slot + (count - 1) * stride + length; }
};

}  // namespace

struct LayoutMap::Impl {
  std::vector<Node> zones;
  std::vector<std::uint64_t> zone_slots;  // first slot of each zone, and the end
  std::vector<CompiledSkip> skips;
  std::vector<model::Remap> remaps_by_lbn, remaps_by_slot;
  std::uint64_t blocks = 0, tracks = 0;
  std::uint32_t cylinders = 0, heads = 0;

  std::uint64_t slots() const { return zone_slots.back(); }
  void add_zones(const std::vector<model::LayoutNode>& sources);
  void add_skips(const std::vector<model::Skip>& sources);
  void add_remaps(const std::vector<model::Remap>& sources);
  std::uint64_t sequential_slot(std::uint64_t lbn) const;
  const CompiledSkip* skip_at_or_before(std::uint64_t slot) const;
};

void LayoutMap::Impl::add_zones(const std::vector<model::LayoutNode>& sources) {
  if (sources.empty()) bad_layout("has no zones");
  zone_slots.push_back(0);
  std::int64_t high_cylinder = 0, high_head = 0;
  for (const auto& source : sources) {
    Node zone = compile(source, 1);
    if (zone.slots > kMaxSlots / zone.count || slots() > kMaxSlots - zone.all_slots())
      bad_layout("holds more sectors than any drive");
    const Extent at_cylinders =
        spread(zone.cylinder, zone.cylinder_step, zone.count, zone.cylinders);
    const Extent at_heads = spread(zone.head, zone.head_step, zone.count, zone.heads);
    constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
    if (at_cylinders.low < 0 || at_heads.low < 0 || at_cylinders.high > kHighest ||
        at_heads.high > kHighest)
      bad_layout("has a cylinder or head outside the drive");
    high_cylinder = std::max(high_cylinder, at_cylinders.high);
    high_head = std::max(high_head, at_heads.high);
    tracks += zone.all_tracks();
    zone_slots.push_back(slots() + zone.all_slots());
    zones.push_back(std::move(zone));
  }
  cylinders = static_cast<std::uint32_t>(high_cylinder + 1);
  heads = static_cast<std::uint32_t>(high_head + 1);
}

void LayoutMap::Impl::add_skips(const std::vector<model::Skip>& sources) {
  std::uint64_t skipped = 0, end = 0;
  for (const auto& source : sources) {
    if (source.length == 0 || source.count == 0) bad_layout("has an empty skip");
    if (source.count > 1 && source.stride <= source.length)
      bad_layout("has skips that touch each other");
    const std::uint64_t stride = source.count > 1 ? source.stride : source.length + 1;
    if (source.first_slot < end) bad_layout("has skips that are not in order or overlap");
    if (source.first_slot >= slots() || source.length > slots() - source.first_slot ||
        (source.count - 1) > (slots() - source.first_slot - source.length) / stride)
      bad_layout("has a skip beyond its last sector");
    CompiledSkip skip{source.first_slot, source.length,       source.count,
                      stride,            source.first_slot - skipped, skipped};
    end = skip.end();
    skipped += source.length * source.count;
    skips.push_back(skip);
  }
  blocks = slots() - skipped;
}

void LayoutMap::Impl::add_remaps(const std::vector<model::Remap>& sources) {
  for (const auto& remap : sources)
    if (remap.lbn >= blocks || remap.slot >= slots())
      bad_layout("has a remapped block outside the drive");
  remaps_by_lbn = remaps_by_slot = sources;
  std::ranges::sort(remaps_by_lbn, {}, &model::Remap::lbn);
  std::ranges::sort(remaps_by_slot, {}, &model::Remap::slot);
}

std::uint64_t LayoutMap::Impl::sequential_slot(std::uint64_t lbn) const {
  auto behind = std::ranges::upper_bound(skips, lbn, {}, &CompiledSkip::lbn);
  if (behind == skips.begin()) return lbn;
  const CompiledSkip& skip = *std::prev(behind);
  const std::uint64_t runs =
      std::min(skip.count, (lbn - skip.lbn) / (skip.stride - skip.length) + 1);
  return lbn + skip.skipped_before + runs * skip.length;
}

const CompiledSkip* LayoutMap::Impl::skip_at_or_before(std::uint64_t slot) const {
  auto behind = std::ranges::upper_bound(skips, slot, {}, &CompiledSkip::first_slot);
  return behind == skips.begin() ? nullptr : &*std::prev(behind);
}

LayoutMap::LayoutMap(const model::Layout& layout) {
  auto impl = std::make_shared<Impl>();
  impl->add_zones(layout.zones);
  impl->add_skips(layout.skips);
  impl->add_remaps(layout.remaps);
  impl_ = std::move(impl);
}

std::uint64_t LayoutMap::blocks() const { return impl_->blocks; }
std::uint64_t LayoutMap::slots() const { return impl_->slots(); }
std::uint64_t LayoutMap::tracks() const { return impl_->tracks; }
std::uint32_t LayoutMap::cylinders() const { return impl_->cylinders; }
std::uint32_t LayoutMap::heads() const { return impl_->heads; }

bool LayoutMap::is_remapped(std::uint64_t lbn) const {
  return std::ranges::binary_search(impl_->remaps_by_lbn, lbn, {}, &model::Remap::lbn);
}

std::uint64_t LayoutMap::last_before_remap(std::uint64_t lbn, std::uint64_t last) const {
  auto remap = std::ranges::upper_bound(impl_->remaps_by_lbn, lbn, {}, &model::Remap::lbn);
  return remap == impl_->remaps_by_lbn.end() ? last : std::min(last, remap->lbn - 1);
}

std::uint64_t LayoutMap::slot_of_lbn(std::uint64_t lbn) const {
  if (!impl_->remaps_by_lbn.empty()) {
    auto remap = std::ranges::lower_bound(impl_->remaps_by_lbn, lbn, {}, &model::Remap::lbn);
    if (remap != impl_->remaps_by_lbn.end() && remap->lbn == lbn) return remap->slot;
  }
  return impl_->sequential_slot(lbn);
}

std::optional<std::uint64_t> LayoutMap::lbn_of_slot(std::uint64_t slot) const {
  auto remap = std::ranges::lower_bound(impl_->remaps_by_slot, slot, {}, &model::Remap::slot);
  if (remap != impl_->remaps_by_slot.end() && remap->slot == slot) return remap->lbn;
  const std::uint64_t lbn = lbn_at_or_after_slot(slot);
  if (lbn >= blocks() || impl_->sequential_slot(lbn) != slot || is_remapped(lbn))
    return std::nullopt;
  return lbn;
}

std::uint64_t LayoutMap::lbn_at_or_after_slot(std::uint64_t slot) const {
  const CompiledSkip* skip = impl_->skip_at_or_before(slot);
  if (skip == nullptr) return slot;
  const std::uint64_t from_first = slot - skip->first_slot;
  const std::uint64_t run = std::min(from_first / skip->stride, skip->count - 1);
  const std::uint64_t into_run = from_first - run * skip->stride;
  const std::uint64_t skipped = skip->skipped_before + run * skip->length;
  return into_run < skip->length ? slot - into_run - skipped : slot - skipped - skip->length;
}

Track LayoutMap::track_of_slot(std::uint64_t slot) const {
  const auto& starts = impl_->zone_slots;
  const auto zone = static_cast<std::size_t>(
      std::upper_bound(starts.begin(), starts.end() - 1, slot) - starts.begin() - 1);
  Track track;
  track.zone = static_cast<std::uint32_t>(zone);
  std::int64_t cylinder = 0, head = 0;
  std::uint64_t rest = slot - starts[zone];
  const Node* node = &impl_->zones[zone];
  while (true) {
    const std::uint64_t instance = rest / node->slots;
    rest -= instance * node->slots;
    const auto i = static_cast<std::int64_t>(instance);
    cylinder += node->cylinder + i * node->cylinder_step;
    head += node->head + i * node->head_step;
    track.angle += node->angle + instance * node->angle_step;
    if (node->leaf()) break;
    const auto& children = node->child_slots;
    const auto child = static_cast<std::size_t>(
        std::upper_bound(children.begin(), children.end(), rest) - children.begin() - 1);
    rest -= children[child];
    node = &node->children[child];
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
  for (std::size_t zone = 0; zone < impl_->zones.size(); ++zone) {
    track.zone = static_cast<std::uint32_t>(zone);
    if (find_track(impl_->zones[zone], cylinder, head, impl_->zone_slots[zone], 0, track))
      return track;
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
  // Exactly floor(2^64 * j / sectors), without the overflow of 2^64 * j.
  const std::uint64_t sector = slot - track.first_slot;
  const auto turned = (static_cast<Uint128>(sector) << 64) / track.sectors;
  return track.angle + static_cast<Angle>(turned);
}

Angle LayoutMap::angle_of_lbn(std::uint64_t lbn) const {
  const std::uint64_t slot = slot_of_lbn(lbn);
  return angle_of_slot(track_of_slot(slot), slot);
}

}  // namespace platter::engine
