// Random layouts of bands: runs of tracks on one surface after another, as drives since about 2010
// have them; as rounds that repeat, as children of one node, or each as a zone of its own.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/layout_map.h"
#include "engine/layout_tables.h"
#include "engine/random_layout.h"

namespace platter::engine::testing {

struct Bands {
  std::uint32_t heads = 1, rounds = 1;
  bool surfaces_alternate = false, bands_alternate = false;
  std::uint32_t most_tracks = 20, least_tracks = 1;
  bool own_angles = false;     // of each band, else they follow from skews in whole wedges
  std::uint32_t wedges = 384;  // around
};

// One band a round and surface; cylinders from 0.
inline std::vector<model::LayoutNode> random_bands(std::mt19937_64& random, const Bands& of) {
  std::vector<model::LayoutNode> bands;
  const std::uint32_t skew = uniform(random, 1, of.wedges / 4);
  std::uint64_t turned = 0;
  for (std::uint32_t round = 0; round < of.rounds; ++round) {
    for (std::uint32_t i = 0; i < of.heads; ++i) {
      model::LayoutNode band = track_run(uniform(random, of.least_tracks, of.most_tracks),
                                         uniform(random, 5, 30));
      const bool down = of.surfaces_alternate && round % 2 == 1;
      const bool outward = of.bands_alternate && i % 2 == 1;
      band.head = static_cast<std::int32_t>(down ? of.heads - 1 - i : i);
      band.cylinder =
          static_cast<std::int32_t>(round * of.most_tracks + (outward ? band.count - 1 : 0));
      band.cylinder_step = outward ? -1 : 1;
      band.angle_rev = of.own_angles ? uniform_rev(random)
                                     : static_cast<double>(turned % of.wedges) / of.wedges;
      band.angle_step_rev = static_cast<double>(skew) / of.wedges;
      turned += std::uint64_t{band.count} * skew + of.wedges / 4;
      bands.push_back(band);
    }
  }
  return bands;
}

// Rounds of the same bands, in `zones` that differ in their tracks' sizes.
inline std::vector<model::LayoutNode> in_rounds(std::mt19937_64& random,
                                                const std::vector<model::LayoutNode>& bands,
                                                std::uint32_t zones, std::int32_t cylinders) {
  std::vector<model::LayoutNode> all;
  std::int32_t cylinder = 0;
  std::vector<model::LayoutNode> changed = bands;
  for (std::uint32_t z = 0; z < zones; ++z) {
    model::LayoutNode zone;
    zone.count = uniform(random, 1, 4);
    zone.cylinder = cylinder;
    zone.cylinder_step = cylinders;
    zone.angle_rev = uniform_rev(random);
    zone.angle_step_rev = uniform_rev(random);
    zone.children = changed;
    cylinder += cylinders * static_cast<std::int32_t>(zone.count);
    all.push_back(zone);
    changed[random() % changed.size()].sectors = uniform(random, 5, 30);
  }
  return all;
}

// The bands as zones of the model.
inline std::vector<model::LayoutNode> as_zones(std::vector<model::LayoutNode> bands,
                                               std::int32_t cylinder) {
  for (model::LayoutNode& band : bands) band.cylinder += cylinder;
  return bands;
}

inline Bands any_bands(std::mt19937_64& random) {
  Bands bands;
  bands.heads = uniform(random, 1, 20);
  bands.rounds = uniform(random, 1, 5);
  bands.surfaces_alternate = random() % 2 == 0;
  bands.bands_alternate = random() % 2 == 0;
  bands.most_tracks = uniform(random, 1, 12);
  bands.own_angles = random() % 2 == 0;
  return bands;
}

inline std::int32_t cylinders_of(const Bands& bands) {
  return static_cast<std::int32_t>(bands.rounds * bands.most_tracks);
}

// A node whose children are bands, groups of bands and other nodes, in any order.
inline model::LayoutNode mixed(std::mt19937_64& random, const std::vector<model::LayoutNode>& bands,
                               std::int32_t cylinder) {
  model::LayoutNode zone;
  zone.cylinder = cylinder;
  std::size_t at = 0;
  while (at < bands.size()) {
    const std::size_t count = std::min<std::size_t>(bands.size() - at, uniform(random, 1, 14));
    const auto from = bands.begin() + static_cast<std::ptrdiff_t>(at);
    if (random() % 3 == 0) {
      model::LayoutNode group;
      group.children.assign(from, from + static_cast<std::ptrdiff_t>(count));
      zone.children.push_back(group);
    } else {
      zone.children.insert(zone.children.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
    at += count;
  }
  return zone;
}

// The map of a layout whose bands lie in lists, however few they are.
inline LayoutMap listed_map(const model::Layout& layout) {
  const auto arrays = std::make_shared<const LayoutArrays>(compile_layout(layout, 0));
  return {arrays->view(), arrays};
}

// Some of each, and skips.
inline model::Layout banded_layout(std::mt19937_64& random) {
  model::Layout layout;
  std::int32_t cylinder = 0;
  for (std::uint32_t parts = uniform(random, 1, 4); parts > 0; --parts) {
    const Bands of = any_bands(random);
    const std::vector<model::LayoutNode> bands = random_bands(random, of);
    std::vector<model::LayoutNode> zones;
    switch (uniform(random, 0, 2)) {
      case 0:
        zones = in_rounds(random, bands, uniform(random, 1, 5), cylinders_of(of));
        for (model::LayoutNode& zone : zones) zone.cylinder += cylinder;
        break;
      case 1:
        zones = as_zones(bands, cylinder);
        break;
      default:
        zones = {mixed(random, bands, cylinder)};
    }
    layout.zones.insert(layout.zones.end(), zones.begin(), zones.end());
    cylinder += cylinders_of(of) * 20;
  }
  std::uint64_t slots = 0;
  for (const model::LayoutNode& zone : layout.zones) slots += slots_in(zone);
  for (std::uint64_t at = random() % 50; at + 10 < slots; at += 10 + random() % 300)
    layout.skips.push_back({at, uniform(random, 1, 9), 1, 0});
  return layout;
}

}  // namespace platter::engine::testing
