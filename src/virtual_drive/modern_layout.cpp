#include "virtual_drive/modern_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/layout_map.h"
#include "virtual_drive/random_format.h"

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

using model::LayoutNode;

// Tracks of one size side by side on a surface.
struct TrackRun {
  std::uint32_t sectors = 0, tracks = 0;
};
using BandRuns = std::vector<TrackRun>;  // towards the spindle

// What one round through all surfaces holds: a band of each.
using Round = std::vector<BandRuns>;  // of the surfaces, in their numbers' order

// Rounds of the same sizes and the same skew.
struct Stretch {
  std::uint32_t first = 0, count = 0;
};

class Rounds {
 public:
  Rounds(const ModernRecipe& recipe, const std::vector<SurfaceZones>& zones)
      : recipe_(recipe), zones_(zones) {}

  std::uint32_t count() const { return rounds_of(recipe_); }

  Round at(std::uint32_t index) const {
    Round round;
    for (std::size_t surface = 0; surface < zones_.size(); ++surface)
      round.push_back(band(surface, index));
    return round;
  }

  std::uint32_t track_skew(std::uint32_t index) const {
    return recipe_.track_skews[skew_number(index)];
  }

  // From `first` on as far as nothing changes; a round with a border inside stands alone.
  Stretch stretch(std::uint32_t first) const {
    std::uint64_t end = count();
    for (const SurfaceZones& zones : zones_) {
      const auto next = std::next(zone_at(zones, std::uint64_t{first} * recipe_.band));
      if (next != zones.end())
        end = std::min(end, std::max<std::uint64_t>(first + 1, next->first / recipe_.band));
    }
    auto count = static_cast<std::uint32_t>(end - first);
    while (count > 1 && skew_number(first + count - 1) != skew_number(first)) --count;
    return {first, count};
  }

  // All its rounds are one as the other: no surface has a track more now and then.
  bool is_even(const Stretch& stretch) const {
    if (stretch.count < 2) return true;
    const auto has_fraction = [&](const ModernSurface& surface) {
      const double width = recipe_.band * surface.pitch;
      return width != std::floor(width);
    };
    return std::ranges::none_of(recipe_.surfaces, has_fraction);
  }

 private:
  std::size_t skew_number(std::uint32_t index) const {
    return std::uint64_t{index} * recipe_.track_skews.size() / count();
  }

  // A surface of a coarser pitch has fewer tracks in the same ring, now one more and now one less.
  std::uint32_t tracks(std::size_t surface, std::uint32_t index) const {
    const double width = recipe_.band * recipe_.surfaces[surface].pitch;
    return static_cast<std::uint32_t>(std::floor((index + 1) * width) - std::floor(index * width));
  }

  BandRuns band(std::size_t surface, std::uint32_t index) const {
    const std::uint64_t first = std::uint64_t{index} * recipe_.band, end = first + recipe_.band;
    const std::uint32_t all = tracks(surface, index);
    BandRuns runs;
    std::uint32_t done = 0;
    const SurfaceZones& zones = zones_[surface];
    for (auto zone = zone_at(zones, first); zone != zones.end() && zone->first < end; ++zone) {
      const auto next = std::next(zone);
      const std::uint64_t stop = next == zones.end() ? end : std::min(end, next->first);
      const auto upto = static_cast<std::uint32_t>((stop - first) * all / recipe_.band);
      if (upto > done) runs.push_back({zone->sectors, upto - done});
      done = upto;
    }
    return runs;
  }

  const ModernRecipe& recipe_;
  const std::vector<SurfaceZones>& zones_;
};

// Lays rounds out as nested repeats; angles are kept in wedges, so that they never drift.
class ModernTree {
 public:
  ModernTree(const ModernRecipe& recipe, const Rounds& rounds)
      : recipe_(recipe),
        rounds_(rounds),
        heads_(static_cast<std::uint32_t>(recipe.surfaces.size())) {}

  void add(const Stretch& stretch) {
    const std::uint32_t period = recipe_.serpentine.surfaces_alternate ? 2 : 1;
    const std::uint32_t end = stretch.first + stretch.count;
    const std::uint32_t whole = bands_from(end - 1) < heads_ ? stretch.count - 1 : stretch.count;
    std::uint32_t at = stretch.first;
    if (const std::uint32_t repeats = whole / period; repeats > 1 && rounds_.is_even(stretch)) {
      add_zone({at, period}, repeats);
      at += repeats * period;
    }
    if (at < end) add_zone({at, end - at}, 1);
  }

  std::vector<LayoutNode> zones;
  std::uint64_t tracks = 0;

 private:
  std::uint32_t bands_from(std::uint32_t round) const { return recipe_.bands - round * heads_; }
  double rev(std::uint64_t wedges) const {
    return static_cast<double>(wedges % recipe_.wedges) / recipe_.wedges;
  }

  // The stretch, so many times.
  void add_zone(const Stretch& stretch, std::uint32_t repeats) {
    LayoutNode zone;
    zone.count = repeats;
    zone.cylinder = static_cast<std::int32_t>(stretch.first * recipe_.band);
    zone.angle_rev = rev(wedge_);
    const std::uint64_t tracks_before = tracks;
    std::uint64_t turned = 0;
    for (std::uint32_t i = 0; i < stretch.count; ++i)
      add_round(stretch.first + i, i * recipe_.band, turned, zone.children);
    if (repeats > 1) {
      zone.cylinder_step = static_cast<std::int32_t>(stretch.count * recipe_.band);
      zone.angle_step_rev = rev(turned);
      tracks += (repeats - 1) * (tracks - tracks_before);
    }
    wedge_ = (wedge_ + turned * repeats) % recipe_.wedges;
    zones.push_back(std::move(zone));
  }

  void add_round(std::uint32_t index, std::uint32_t cylinder, std::uint64_t& turned,
                 std::vector<LayoutNode>& nodes) {
    const Round round = rounds_.at(index);
    const std::uint32_t skew = rounds_.track_skew(index);
    const std::uint32_t bands = std::min(heads_, bands_from(index));
    const bool downward = recipe_.serpentine.surfaces_alternate && index % 2 == 1;
    for (std::uint32_t i = 0; i < bands; ++i) {
      const std::uint32_t surface = downward ? heads_ - 1 - i : i;
      const bool outward = recipe_.serpentine.bands_alternate && i % 2 == 1;
      add_band(round[surface], surface, cylinder, outward, skew, turned, nodes);
      turned += i + 1 == heads_ ? recipe_.round_skew : recipe_.head_skew;
    }
  }

  // `turned`: to its first track, and then to its last.
  void add_band(const BandRuns& runs, std::uint32_t surface, std::uint32_t cylinder, bool outward,
                std::uint32_t skew, std::uint64_t& turned, std::vector<LayoutNode>& nodes) {
    std::uint32_t all = 0, done = 0;
    for (const TrackRun& run : runs) all += run.tracks;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const TrackRun& run = outward ? runs[runs.size() - 1 - i] : runs[i];
      LayoutNode leaf;
      leaf.count = run.tracks;
      leaf.cylinder = static_cast<std::int32_t>(cylinder + (outward ? all - 1 - done : done));
      leaf.head = static_cast<std::int32_t>(surface);
      leaf.angle_rev = rev(turned + std::uint64_t{done} * skew);
      leaf.sectors = run.sectors;
      if (run.tracks > 1) {
        leaf.cylinder_step = outward ? -1 : 1;
        leaf.angle_step_rev = rev(skew);
      }
      done += run.tracks;
      nodes.push_back(std::move(leaf));
    }
    turned += std::uint64_t{all - 1} * skew;
    tracks += all;
  }

  const ModernRecipe& recipe_;
  const Rounds& rounds_;
  std::uint32_t heads_;
  std::uint64_t wedge_ = 0;  // where the next track begins
};

// What a track lacks: a few sectors, most of them, or all.
SlotRange drawn_hole(const engine::Track& track, std::uint32_t sector, Dice& dice) {
  const std::uint32_t sectors = track.sectors / sector;
  const double kind = dice.uniform(0, 1);
  std::uint32_t length = sectors;
  if (kind < 0.7)
    length = dice.pick32(1, std::min(8U, sectors));
  else if (kind < 0.9)
    length = dice.pick32(1, std::max(1U, sectors * 9 / 10));
  const std::uint64_t first = track.first_slot + dice.pick(0, sectors - length) * sector;
  return {first, first + std::uint64_t{length} * sector};
}

std::vector<SlotRange> drawn_holes(const ModernRecipe& recipe, const model::Layout& layout,
                                   Dice& dice) {
  const engine::LayoutMap map(layout);
  const auto any_slot = [&] { return dice.pick(0, map.slots() - 1); };
  std::map<std::uint64_t, SlotRange> tracks;  // by their first slots
  while (tracks.size() < recipe.irregularities.tracks) {
    const engine::Track track = map.track_of_slot(any_slot());
    if (!tracks.contains(track.first_slot))
      tracks.emplace(track.first_slot, drawn_hole(track, recipe.blocks_of_sector, dice));
  }
  std::vector<SlotRange> holes;
  for (const auto& [slot, hole] : tracks) holes.push_back(hole);
  for (std::uint32_t i = 0; i < recipe.irregularities.singles; ++i) {
    const std::uint64_t first = any_slot() / recipe.blocks_of_sector * recipe.blocks_of_sector;
    holes.push_back({first, first + recipe.blocks_of_sector});
  }
  return holes;
}

// Sorted, none in or beside another.
std::vector<SlotRange> united(std::vector<SlotRange> holes) {
  std::ranges::sort(holes, {}, &SlotRange::first);
  std::vector<SlotRange> result;
  for (const SlotRange& hole : holes) {
    if (!result.empty() && hole.first <= result.back().end)
      result.back().end = std::max(result.back().end, hole.end);
    else
      result.push_back(hole);
  }
  return result;
}

std::string modern_in_words(const ModernRecipe& recipe, const ModernLayout& made) {
  const auto turns = [](bool alternate) { return alternate ? "in turn" : "always"; };
  const auto pitch = [](const ModernSurface& surface) { return surface.pitch; };
  const bool pitches = std::ranges::min(recipe.surfaces, {}, pitch).pitch < 1;
  return fmt::format(
      "{} surfaces{}, {} bands of {} tracks, {} tracks; surfaces {} upwards{}, bands {} inwards{}; "
      "{} to {} sectors a track in {} formats, {} zone borders at {} radii{}; skews of {} to {}, "
      "{} "
      "and {} of {} wedges; {} irregular tracks, {} single slips",
      recipe.surfaces.size(), pitches ? " of pitches of their own" : "", recipe.bands, recipe.band,
      made.tracks, turns(recipe.serpentine.surfaces_alternate),
      recipe.serpentine.surfaces_alternate ? " and downwards" : "",
      turns(recipe.serpentine.bands_alternate),
      recipe.serpentine.bands_alternate ? " and outwards" : "", recipe.sectors, recipe.last_sectors,
      recipe.formats, made.zone_borders, made.border_radii,
      recipe.border_rounds == 0 ? ", within bands too" : "", recipe.track_skews.front(),
      recipe.track_skews.back(), recipe.head_skew, recipe.round_skew, recipe.wedges,
      recipe.irregularities.tracks, recipe.irregularities.singles);
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

ModernLayout build_modern(const ModernRecipe& recipe, std::mt19937_64& random) {
  Dice dice(random);
  std::vector<SurfaceZones> zones;
  std::set<std::uint64_t> radii;
  ModernLayout made;
  for (const ModernSurface& surface : recipe.surfaces) {
    zones.push_back(draw_zones(recipe, surface, dice));
    for (const SurfaceZone& zone : zones.back())
      if (zone.first > 0) radii.insert(zone.first);
    made.zone_borders += static_cast<std::uint32_t>(zones.back().size() - 1);
  }
  made.border_radii = static_cast<std::uint32_t>(radii.size());
  const Rounds rounds(recipe, zones);
  ModernTree tree(recipe, rounds);
  for (std::uint32_t at = 0; at < rounds.count();) {
    const Stretch stretch = rounds.stretch(at);
    tree.add(stretch);
    at += stretch.count;
  }
  made.tracks = tree.tracks;
  made.truth.zones = std::move(tree.zones);
  made.truth.skips = compact(united(drawn_holes(recipe, made.truth, dice)));
  made.truth.spares = "none";
  made.truth.method = "invented";
  made.description = modern_in_words(recipe, made);
  return made;
}

}  // namespace platter::virtual_drive
