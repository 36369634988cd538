#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emit/disksim/drive_text.h"
#include "emit/disksim/g1_geometry.h"
#include "engine/layout_map.h"
#include "model/error.h"
#include "model/seek_curve.h"

namespace platter::emit_disksim {
namespace {

// A layout as stretches: consecutive LBNs in consecutive sectors of one track.
struct TrackStretch {
  std::uint64_t lbn = 0, blocks = 0;
  std::uint32_t cylinder = 0, head = 0, sector = 0, sectors = 0;
  double angle_rev = 0;  // of the track
};

// In the order of LBNs, remapped blocks where they were remapped from. `map` is the layout's.
std::vector<TrackStretch> stretches_of(const model::Layout& layout, const engine::LayoutMap& map) {
  std::vector<TrackStretch> all;
  std::uint64_t lbn = 0;
  for (const Interval& run : slots_with_blocks(layout, map.slots())) {
    for (std::uint64_t slot = run.first; slot < run.end;) {
      const engine::Track track = map.track_of_slot(slot);
      const std::uint64_t end = std::min(run.end, track.first_slot + track.sectors);
      all.push_back({lbn, end - slot, track.cylinder, track.head,
                     static_cast<std::uint32_t>(slot - track.first_slot), track.sectors,
                     engine::rev_from_angle(track.angle)});
      lbn += end - slot;
      slot = end;
    }
  }
  return all;
}

[[noreturn]] void differs(std::uint64_t lbn, const std::string& how) {
  throw Error(
      ExitStatus::unsupported,
      fmt::format("the layout cannot be written for DiskSim: block {} would lie {}", lbn, how));
}

double angle_at(const TrackStretch& stretch, std::uint64_t lbn) {
  const double sector = static_cast<double>(stretch.sector + (lbn - stretch.lbn));
  return stretch.angle_rev + sector / stretch.sectors;
}

void compare_at(std::uint64_t lbn, const TrackStretch& a, const TrackStretch& b,
                double tolerance_rev) {
  if (a.cylinder != b.cylinder || a.head != b.head) {
    differs(lbn, fmt::format("on cylinder {}, head {} instead of {}, {}", b.cylinder, b.head,
                             a.cylinder, a.head));
  }
  const double difference = angle_at(b, lbn) - angle_at(a, lbn);
  const double off = std::fabs(difference - std::round(difference));
  if (!(off <= tolerance_rev))
    differs(lbn, fmt::format("{:.7f} revolutions away from its angle", off));
}

}  // namespace

void require_same_places(const model::Layout& wanted, const model::Layout& got,
                         double tolerance_rev) {
  const engine::LayoutMap a_map(wanted), b_map(got);
  if (a_map.blocks() != b_map.blocks()) {
    differs(std::min(a_map.blocks(), b_map.blocks()), "nowhere, or where there is none");
  }
  const std::vector<TrackStretch> a = stretches_of(wanted, a_map), b = stretches_of(got, b_map);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t first = std::max(a[i].lbn, b[j].lbn);
    const std::uint64_t a_end = a[i].lbn + a[i].blocks, b_end = b[j].lbn + b[j].blocks;
    compare_at(first, a[i], b[j], tolerance_rev);
    compare_at(std::min(a_end, b_end) - 1, a[i], b[j], tolerance_rev);
    if (a_end <= b_end) ++i;
    if (b_end <= a_end) ++j;
  }
  if (wanted.remaps.size() != got.remaps.size())
    differs(0, "in a drive with another number of remapped blocks");
  for (const model::Remap& remap : wanted.remaps) {
    const engine::Pbn at = a_map.pbn_of_lbn(remap.lbn), back = b_map.pbn_of_lbn(remap.lbn);
    const double off =
        engine::rev_from_angle(a_map.angle_of_lbn(remap.lbn) - b_map.angle_of_lbn(remap.lbn));
    if (!(at == back) || std::min(off, 1 - off) > tolerance_rev)
      differs(remap.lbn, "elsewhere than it is remapped to");
  }
}

void require_same_seeks(const model::Seek& wanted, const model::Seek& got) {
  for (const auto* points : {&wanted.points, &got.points}) {
    for (const model::SeekPoint& point : *points) {
      const double difference = model::seek_time_ms(wanted, point.cylinders) -
                                model::seek_time_ms(got, point.cylinders);
      if (!(std::fabs(difference) <= 1e-9)) {
        throw Error(ExitStatus::unsupported,
                    fmt::format("a seek over {} cylinders would differ by {} ms in DiskSim",
                                point.cylinders, difference));
      }
    }
  }
}

}  // namespace platter::emit_disksim
