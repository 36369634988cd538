// A drive small enough to reason about by hand: 4 heads, 60 cylinders of 20 sectors and 40 of 16,
// 10 ms a revolution, linear seeks.
#pragma once

#include "model/drive_model.h"

namespace platter::engine::testing {

inline model::Parameter value(double number) {
  model::Parameter parameter;
  parameter.value = number;
  return parameter;
}

inline model::LayoutNode head_first_zone(std::int32_t cylinder, std::uint32_t cylinders,
                                         std::uint32_t heads, std::uint32_t sectors,
                                         double track_skew, double cylinder_skew, double angle) {
  model::LayoutNode tracks;
  tracks.count = heads;
  tracks.head_step = 1;
  tracks.angle_step_rev = track_skew;
  tracks.sectors = sectors;
  model::LayoutNode zone;
  zone.count = cylinders;
  zone.cylinder = cylinder;
  zone.cylinder_step = 1;
  zone.angle_rev = angle;
  zone.angle_step_rev = (heads - 1) * track_skew + cylinder_skew;
  zone.children = {tracks};
  return zone;
}

inline model::DriveModel small_drive() {
  model::DriveModel drive;
  drive.rotation.numerator_ns = 10'000'000;
  drive.layout.zones = {head_first_zone(0, 60, 4, 20, 0.1, 0.3, 0.0),
                        head_first_zone(60, 40, 4, 16, 0.125, 0.25, 0.4)};
  drive.seek.points = {{1, 1.0, {}, 0}, {99, 5.9, {}, 0}};  // 1 ms + 50 us a cylinder
  drive.head_switch = value(0.5);
  drive.write_settle = value(0.25);
  drive.overheads.read_miss_after_read = value(0.3);
  drive.overheads.read_miss_after_write = value(0.4);
  drive.overheads.read_hit_after_read = value(0.1);
  drive.overheads.read_hit_after_write = value(0.15);
  drive.overheads.write_miss_after_read = value(0.35);
  drive.overheads.write_miss_after_write = value(0.45);
  drive.overheads.write_hit_after_read = value(0.12);
  drive.overheads.write_hit_after_write = value(0.17);
  drive.bus.block_transfer = value(0.02);
  return drive;
}

inline model::Cache small_cache() {
  model::Cache cache;
  cache.read_enabled = value(1);
  cache.segments = value(3);
  cache.segment_blocks = value(40);
  cache.read_ahead = value(3);
  cache.read_ahead_max_blocks = value(30);
  cache.write_back_level = value(2);
  cache.read_hit_on_written = value(1);
  cache.combine_sequential_writes = value(1);
  return cache;
}

}  // namespace platter::engine::testing
