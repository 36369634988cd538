#include "fleet/media_profile.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

namespace platter::fleet {
namespace {

// Of one surface.
struct Surface {
  std::vector<std::uint32_t> longest = std::vector<std::uint32_t>(kRings);
  std::uint64_t tracks = 0, sectors = 0;
};

struct Walk {
  std::uint64_t cylinders;
  std::map<std::int64_t, Surface> surfaces = {};

  void track(std::int64_t cylinder, std::int64_t head, std::uint32_t sectors) {
    Surface& surface = surfaces[head];
    ++surface.tracks, surface.sectors += sectors;
    const std::uint64_t at = std::clamp<std::int64_t>(cylinder, 0,
                                                      static_cast<std::int64_t>(cylinders) - 1);
    std::uint32_t& longest = surface.longest[at * kRings / cylinders];
    longest = std::max(longest, sectors);
  }
  void node(const model::LayoutNode& node, std::int64_t cylinder, std::int64_t head) {
    cylinder += node.cylinder, head += node.head;
    const auto each = [&](auto act) {
      for (std::int64_t i = 0; i < node.count; ++i)
        act(cylinder + i * node.cylinder_step, head + i * node.head_step);
    };
    if (node.sectors > 0)
      each([&](auto there, auto surface) { track(there, surface, node.sectors); });
    // All repeats of a child, then of the next one: mostly of one surface.
    for (const model::LayoutNode& child : node.children)
      each([&](auto there, auto surface) { this->node(child, there, surface); });
  }
};

std::uint64_t middle(std::vector<std::uint64_t> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

MediaProfile media_profile(const model::Layout& layout, std::uint32_t cylinders) {
  Walk walk{std::max<std::uint32_t>(cylinders, 1)};
  for (const model::LayoutNode& zone : layout.zones) walk.node(zone, 0, 0);
  MediaProfile profile;
  profile.sectors.resize(kRings);
  double sectors = 0, tracks = 0, fewest = std::numeric_limits<double>::max();
  for (const auto& [head, surface] : walk.surfaces) {
    for (std::size_t i = 0; i < kRings; ++i) profile.sectors[i] += surface.longest[i];
    sectors += static_cast<double>(surface.sectors), tracks += static_cast<double>(surface.tracks);
    fewest = std::min(fewest,
                      static_cast<double>(surface.sectors) / static_cast<double>(surface.tracks));
  }
  if (walk.surfaces.size() > 1) profile.slowest_surface = fewest / (sectors / tracks);
  return profile;
}

std::vector<double> shares_formatted_otherwise(std::span<const MediaProfile> profiles) {
  std::vector<double> shares(profiles.size());
  if (profiles.empty()) return shares;
  for (std::size_t ring = 0; ring < kRings; ++ring) {
    std::vector<std::uint64_t> there;
    for (const MediaProfile& profile : profiles) there.push_back(profile.sectors[ring]);
    const std::uint64_t usual = middle(there);
    for (std::size_t i = 0; i < profiles.size(); ++i)
      if (there[i] != usual) shares[i] += 1.0 / kRings;
  }
  return shares;
}

}  // namespace platter::fleet
