// A layout as someone sees it who walks along all tracks in the order of the blocks: bands of
// tracks on one surface, and the skews between tracks.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/layout_map.h"

namespace platter::virtual_drive::testing {

struct SeenBand {
  std::uint32_t head = 0;
  std::uint64_t tracks = 0;
  std::uint32_t first_cylinder = 0, last_cylinder = 0;
  std::int64_t step = 0;      // cylinders from one track to the next; 0: a single track
  bool straight = true;       // all steps are alike
  std::uint32_t sectors = 0;  // of the first track
  bool one_size = true;

  bool outward() const { return step < 0; }
  std::uint32_t lowest() const { return std::min(first_cylinder, last_cylinder); }
  std::uint32_t highest() const { return std::max(first_cylinder, last_cylinder); }
};

struct BandWalk {
  std::vector<SeenBand> bands;
  std::map<std::uint32_t, std::uint64_t> sizes;           // tracks of each
  std::map<std::int64_t, std::uint64_t> within, between;  // skews in wedges, within bands or not
  double off_wedge = 0;  // the most that a skew is no whole number of wedges
  std::uint64_t tracks = 0;
};

// A band ends with its surface, or with its round of `band` cylinders.
inline BandWalk walk_bands(const model::Layout& layout, std::uint32_t wedges, std::uint32_t band) {
  const engine::LayoutMap map(layout);
  BandWalk walk;
  engine::Track before;
  for (std::uint64_t slot = 0; slot < map.slots();) {
    const engine::Track track = map.track_of_slot(slot);
    const bool goes_on = walk.tracks > 0 && track.head == before.head &&
                         track.cylinder / band == before.cylinder / band;
    if (walk.tracks > 0) {
      const double skew = engine::rev_from_angle(track.angle - before.angle) * wedges;
      walk.off_wedge = std::max(walk.off_wedge, std::fabs(skew - std::round(skew)));
      ++(goes_on ? walk.within : walk.between)[std::llround(skew)];
    }
    if (!goes_on) walk.bands.push_back({track.head, 0, track.cylinder, track.cylinder});
    SeenBand& now = walk.bands.back();
    if (now.tracks == 0) now.sectors = track.sectors;
    if (goes_on) {
      const std::int64_t step = std::int64_t{track.cylinder} - before.cylinder;
      now.straight = now.straight && (now.step == 0 || now.step == step);
      now.step = step;
      now.one_size = now.one_size && now.sectors == track.sectors;
    }
    now.last_cylinder = track.cylinder;
    ++now.tracks;
    ++walk.tracks;
    ++walk.sizes[track.sectors];
    before = track;
    slot += track.sectors;
  }
  return walk;
}

// Zone borders of all surfaces: where a surface's next track has another size.
inline std::uint64_t borders_of(const BandWalk& walk) {
  std::map<std::uint32_t, std::uint32_t> sizes;
  std::uint64_t borders = 0;
  for (const SeenBand& band : walk.bands) {
    const auto [at, first] = sizes.try_emplace(band.head, band.sectors);
    if (!first && at->second != band.sectors) ++borders;
    at->second = band.sectors;
  }
  return borders;
}

}  // namespace platter::virtual_drive::testing
