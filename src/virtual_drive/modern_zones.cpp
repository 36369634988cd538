#include "virtual_drive/modern_zones.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace platter::virtual_drive {
namespace {

// All sizes that a track of any surface may have, descending.
std::vector<double> format_list(const ModernRecipe& recipe) {
  const auto [least, most] = std::ranges::minmax(recipe.surfaces, {}, &ModernSurface::density);
  const double first = recipe.sectors * most.density;
  const double last = recipe.last_sectors * least.density;
  std::vector<double> formats;
  for (std::uint32_t i = 0; i < recipe.formats; ++i) {
    const double share = recipe.formats > 1 ? static_cast<double>(i) / (recipe.formats - 1) : 0;
    const double whole = std::round((first + (last - first) * share) / recipe.blocks_of_sector);
    const double sectors = whole * recipe.blocks_of_sector;
    if (formats.empty() || sectors < formats.back()) formats.push_back(sectors);
  }
  return formats;
}

}  // namespace

std::uint32_t rounds_of(const ModernRecipe& recipe) {
  const auto heads = static_cast<std::uint32_t>(recipe.surfaces.size());
  return (recipe.bands + heads - 1) / heads;
}

// A surface takes the format nearest to what it can hold, of those that it uses: the borders lie
// about halfway, where the maker's test of that surface has put them.
SurfaceZones draw_zones(const ModernRecipe& recipe, const ModernSurface& surface, Dice& dice) {
  const std::uint64_t rounds = rounds_of(recipe), cylinders = rounds * recipe.band;
  const std::uint64_t grid = recipe.border_rounds == 0
                                 ? 1
                                 : std::uint64_t{recipe.border_rounds} * recipe.band;
  const double outer = recipe.sectors * surface.density;
  const double inner = recipe.last_sectors * surface.density;
  const auto distance_to = [](double can) {
    return [can](double sectors) { return std::fabs(sectors - can); };
  };
  const std::vector<double> formats = format_list(recipe);
  const auto first = std::ranges::min_element(formats, {}, distance_to(outer));
  const auto last = std::ranges::min_element(formats, {}, distance_to(inner));
  SurfaceZones zones{{0, static_cast<std::uint32_t>(*first)}};
  double before = *first;
  for (auto format = first; format != last;) {
    ++format;
    if (format != last && !dice.chance(recipe.formats_used)) continue;
    const double border = before + (*format - before) * dice.uniform(0.3, 0.7);
    before = *format;
    const double share = std::clamp((outer - border) / (outer - inner), 0.0, 1.0);
    const auto steps = static_cast<std::uint64_t>(
        std::llround(share * static_cast<double>(cylinders) / static_cast<double>(grid)));
    const std::uint64_t cylinder = steps * grid;
    if (cylinder >= cylinders) break;
    if (cylinder <= zones.back().first) zones.pop_back();
    zones.push_back({zones.empty() ? 0 : cylinder, static_cast<std::uint32_t>(*format)});
  }
  return zones;
}

SurfaceZones::const_iterator zone_at(const SurfaceZones& zones, std::uint64_t cylinder) {
  return std::prev(std::ranges::upper_bound(zones, cylinder, {}, &SurfaceZone::first));
}

}  // namespace platter::virtual_drive
