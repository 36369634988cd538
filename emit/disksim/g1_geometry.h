// Which tracks a layout has, in the order of LBNs, and zones of them as dm_layout_g1 can describe:
// whole cylinders one after another, equal tracks, equal skews.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

struct Interval {
  std::uint64_t first = 0, end = 0;
};

// The slots that hold LBNs (those of remapped ones included), ascending.
std::vector<Interval> slots_with_blocks(const model::Layout& layout, std::uint64_t slots);

struct GeometryZone {
  std::uint32_t first_cylinder = 0, last_cylinder = 0, sectors = 0;
  double offset_rev = 0, track_step_rev = 0,
         cylinder_step_rev = 0;                // of a cylinder's first track to the next's
  std::size_t first_track = 0, end_track = 0;  // in Geometry::tracks
};

struct Geometry {
  int mapping = 0;  // DiskSim's number: 0 straight, 1 and 2 serpentine
  std::uint32_t heads = 0;
  std::vector<engine::Track> tracks;
  std::vector<GeometryZone> zones;
  double worst_angle_rev = 0;

  // The place of a track within its cylinder in the order of LBNs, from 0.
  std::uint32_t turn(const GeometryZone& zone, const engine::Track& track) const;
};

// Throws Error(unsupported) that says what DiskSim cannot express.
Geometry find_geometry(const model::Layout& layout, const engine::LayoutMap& map,
                       const std::vector<Interval>& used, std::uint32_t heads,
                       double tolerance_rev);

[[noreturn]] void cannot_express(const std::string& what);

}  // namespace platter::emit_disksim
