#include "layout_by_timing/surfaces_of_map.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layout_by_timing/band_count.h"

namespace platter::layout_by_timing {
namespace {

// What the order of bands that was found says of a map's surfaces; one that does not explain what
// was seen says nothing.
void take_measured(const std::optional<FoundSurfaces>& found, Surfaces& surfaces) {
  // Chosen by looking at a few drives: steps scatter less; below it all that tells orders apart are
  // distances.
  constexpr double kContrast_rev = 0.03;
  if (!found || (found->best.fit < kExplains && !found->agreed)) return;
  if (!found->told && found->contrast_rev < kContrast_rev) return;
  surfaces.heads = found->best.order.heads;
  surfaces.order = found->best.order;
  surfaces.cylinders = found->tracks;
  surfaces.bands = found->bands;
  surfaces.told = true;
  surfaces.others.clear();
  surfaces.measured = found;
}

// What happened to be alike side by side; its place is that of its last track.
std::vector<Run> cut_to_tracks(std::span<const Run> runs, std::size_t ring) {
  const auto places = static_cast<std::int32_t>(ring);
  std::vector<Run> tracks;
  for (const Run& run : runs) {
    if (run.tracks == 1) {
      tracks.push_back(run);
      continue;
    }
    std::vector<Run> cut = cut_after({&run, 1}, 1);
    std::int32_t place = run.ring_place < 0 ? -1 : run.ring_place % places;
    for (std::size_t i = cut.size(); i-- > 0;) {
      cut[i].ring_place = place;
      if (place >= 0) place = place > 0 ? place - 1 : places - 1;
      if (i > 0) cut[i].same_band = cut[i].after_gap = false;
    }
    std::ranges::move(cut, std::back_inserter(tracks));
  }
  return tracks;
}

}  // namespace

Surfaces surfaces_of_map(Mapper& mapper, std::vector<Run>& runs, SurfaceOptions how) {
  std::vector<std::uint32_t> ring;
  if (mapper.pattern())
    for (std::size_t place = 0; place < mapper.pattern()->period(); ++place)
      ring.push_back((*mapper.pattern())[place].slots);
  how.ring = ring.size();
  Surfaces surfaces = surfaces_of(runs, ring);
  if (mapper.pattern() && mapper.pattern()->is_of_tracks() && !surfaces.cylinders)
    runs = cut_to_tracks(runs, ring.size());
  else if (!surfaces.cylinders)
    runs = cut_to_bands(runs, ring.size());
  try {
    take_measured(find_surfaces(mapper.prober(), runs, how, surfaces.cylinders), surfaces);
  } catch (const OutOfTime&) {  // the order of the bands tells it, perhaps
  }
  return surfaces;
}

}  // namespace platter::layout_by_timing
