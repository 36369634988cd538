#include "virtual_drive/modern_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/layout_map.h"
#include "virtual_drive/modern_zones.h"
#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_format.h"

namespace platter::virtual_drive {
namespace {

using model::LayoutNode;

// Tracks of one size side by side on a surface.
struct TrackRun {
  std::uint32_t sectors = 0, tracks = 0;

  bool operator==(const TrackRun&) const = default;
};
using BandRuns = std::vector<TrackRun>;  // towards the spindle

// What one round through all surfaces holds: a band of each.
struct Round {
  std::vector<BandRuns> bands;  // of the surfaces, in their numbers' order
  std::uint32_t track_skew = 0;

  bool operator==(const Round&) const = default;
};

class Rounds {
 public:
  Rounds(const ModernRecipe& recipe, const std::vector<SurfaceZones>& zones)
      : recipe_(recipe), zones_(zones) {}

  std::uint32_t count() const { return rounds_of(recipe_); }

  Round at(std::uint32_t index) const {
    Round round;
    for (std::size_t surface = 0; surface < zones_.size(); ++surface)
      round.bands.push_back(band(surface, index));
    round.track_skew =
        recipe_.track_skews[std::uint64_t{index} * recipe_.track_skews.size() / count()];
    return round;
  }

  // The sizes are those of the round before, and no border lies within.
  bool goes_on(const Round& before, const Round& round) const {
    if (before.track_skew != round.track_skew) return false;
    for (std::size_t surface = 0; surface < zones_.size(); ++surface) {
      const BandRuns &a = before.bands[surface], &b = round.bands[surface];
      if (a.size() != 1 || b.size() != 1 || a[0].sectors != b[0].sectors) return false;
    }
    return true;
  }

 private:
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
  explicit ModernTree(const ModernRecipe& recipe) : recipe_(recipe) {}

  // Rounds of the same sizes, from `first` on; the last one of all may lack bands.
  void add(const std::vector<Round>& rounds, std::uint32_t first) {
    const std::uint32_t period = recipe_.serpentine.surfaces_alternate ? 2 : 1;
    const bool even = std::ranges::all_of(rounds, [&](const Round& r) { return r == rounds[0]; });
    const auto count = static_cast<std::uint32_t>(rounds.size());
    const std::uint32_t whole = bands_left(first + count - 1) < heads() ? count - 1 : count;
    const std::uint32_t repeats = even ? whole / period : 0;
    if (repeats > 1) add_node(rounds, first, 0, period, repeats);
    const std::uint32_t done = repeats > 1 ? repeats * period : 0;
    if (done < count) add_node(rounds, first, done, count - done, 1);
  }

  std::vector<LayoutNode> zones;
  std::uint64_t tracks = 0;

 private:
  std::uint32_t heads() const { return static_cast<std::uint32_t>(recipe_.surfaces.size()); }
  std::uint32_t bands_left(std::uint32_t round) const { return recipe_.bands - round * heads(); }
  double rev(std::uint64_t wedges) const {
    return static_cast<double>(wedges % recipe_.wedges) / recipe_.wedges;
  }

  void add_node(const std::vector<Round>& rounds, std::uint32_t first, std::uint32_t begin,
                std::uint32_t count, std::uint32_t repeats) {
    LayoutNode node;
    node.count = repeats;
    node.cylinder = static_cast<std::int32_t>((first + begin) * recipe_.band);
    node.angle_rev = rev(wedge_);
    const std::uint64_t tracks_before = tracks;
    std::uint64_t turned = 0;
    for (std::uint32_t i = 0; i < count; ++i)
      add_round(rounds[begin + i], first + begin + i, i * recipe_.band, turned, node.children);
    if (repeats > 1) {
      node.cylinder_step = static_cast<std::int32_t>(count * recipe_.band);
      node.angle_step_rev = rev(turned);
      tracks += (repeats - 1) * (tracks - tracks_before);
    }
    wedge_ = (wedge_ + turned * repeats) % recipe_.wedges;
    zones.push_back(std::move(node));
  }

  void add_round(const Round& round, std::uint32_t index, std::uint32_t cylinder,
                 std::uint64_t& turned, std::vector<LayoutNode>& nodes) {
    const std::uint32_t bands = std::min(heads(), bands_left(index));
    const bool downward = recipe_.serpentine.surfaces_alternate && index % 2 == 1;
    for (std::uint32_t i = 0; i < bands; ++i) {
      const std::uint32_t surface = downward ? heads() - 1 - i : i;
      const bool outward = recipe_.serpentine.bands_alternate && i % 2 == 1;
      add_band(round.bands[surface], surface, cylinder, outward, round.track_skew, turned, nodes);
      turned += i + 1 == heads() ? recipe_.round_skew : recipe_.head_skew;
      turned -= round.track_skew;
    }
  }

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
      leaf.angle_rev = rev(turned);
      leaf.sectors = run.sectors;
      if (run.tracks > 1) {
        leaf.cylinder_step = outward ? -1 : 1;
        leaf.angle_step_rev = rev(skew);
      }
      turned += std::uint64_t{run.tracks} * skew;
      done += run.tracks;
      nodes.push_back(std::move(leaf));
    }
    tracks += all;
  }

  const ModernRecipe& recipe_;
  std::uint64_t wedge_ = 0;  // where the next track begins
};

ModernTree tree_of(const ModernRecipe& recipe, const std::vector<SurfaceZones>& zones) {
  const Rounds rounds(recipe, zones);
  ModernTree tree(recipe);
  std::vector<Round> alike;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < rounds.count(); ++i) {
    Round round = rounds.at(i);
    if (!alike.empty() && !rounds.goes_on(alike.back(), round)) {
      tree.add(alike, first);
      alike.clear();
    }
    if (alike.empty()) first = i;
    alike.push_back(std::move(round));
  }
  tree.add(alike, first);
  return tree;
}

// What a track lacks: a few sectors, most of them, or all.
SlotRange drawn_hole(const engine::Track& track, Dice& dice) {
  const double kind = dice.uniform(0, 1);
  std::uint32_t length = track.sectors;
  if (kind < 0.7)
    length = dice.pick32(1, std::min(8U, track.sectors));
  else if (kind < 0.9)
    length = dice.pick32(1, track.sectors * 9 / 10);
  const std::uint64_t first = track.first_slot + dice.pick(0, track.sectors - length);
  return {first, first + length};
}

std::vector<SlotRange> drawn_holes(const Irregularities& count, const model::Layout& layout,
                                   Dice& dice) {
  const engine::LayoutMap map(layout);
  std::map<std::uint64_t, SlotRange> tracks;  // by their first slots
  while (tracks.size() < count.tracks) {
    const engine::Track track = map.track_of_slot(dice.pick(0, map.slots() - 1));
    if (!tracks.contains(track.first_slot))
      tracks.emplace(track.first_slot, drawn_hole(track, dice));
  }
  std::vector<SlotRange> holes;
  for (const auto& [slot, hole] : tracks) holes.push_back(hole);
  for (std::uint32_t i = 0; i < count.singles; ++i) {
    const std::uint64_t slot = dice.pick(0, map.slots() - 1);
    holes.push_back({slot, slot + 1});
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
  ModernTree tree = tree_of(recipe, zones);
  made.tracks = tree.tracks;
  made.truth.zones = std::move(tree.zones);
  made.truth.skips = compact(united(drawn_holes(recipe.irregularities, made.truth, dice)));
  made.truth.spares = "none";
  made.truth.method = "invented";
  made.description = modern_in_words(recipe, made);
  return made;
}

}  // namespace platter::virtual_drive
