// Layouts of one head: zones one behind the other, all tracks of a zone alike, all at angle 0.
#pragma once

#include <vector>

#include "model/drive_model.h"

namespace platter::engine::testing {

struct PlainZone {
  std::uint32_t cylinders, sectors;
  std::uint32_t spares = 0;  // of the sectors, at the end of each track: left to who knows of them
};

inline model::Layout plain_zones(const std::vector<PlainZone>& zones) {
  model::Layout layout;
  std::int32_t cylinder = 0;
  for (const PlainZone& of : zones) {
    model::LayoutNode zone;
    zone.count = of.cylinders;
    zone.cylinder = cylinder;
    zone.cylinder_step = 1;
    zone.sectors = of.sectors;
    layout.zones.push_back(zone);
    cylinder += static_cast<std::int32_t>(of.cylinders);
  }
  return layout;
}

}  // namespace platter::engine::testing
