#include "virtual_drive/random_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_format.h"
#include "virtual_drive/random_geometry.h"

namespace platter::virtual_drive {
namespace {

std::string unit_in_words(const Recipe& recipe, const Spares& spares) {
  const bool surface = recipe.order == Order::surface_serpentine;
  switch (spares.unit) {
    case Unit::track:
      return "each track";
    case Unit::cylinder:
      return surface ? fmt::format("each {} tracks", recipe.band) : "each cylinder";
    case Unit::group:
      return surface ? fmt::format("each {} tracks", recipe.band * spares.group)
                     : fmt::format("each group of {} cylinders", spares.group);
    case Unit::zone:
      return "each zone";
    case Unit::disk:
      return "the disk";
  }
  return "";
}

std::string scheme_in_words(const Recipe& recipe) {
  std::string words;
  for (const Spares& spares : recipe.spares)
    words += fmt::format("{}{} of {}", words.empty() ? "" : " and ",
                         spares.whole_tracks ? "tracks" : "sectors", unit_in_words(recipe, spares));
  return words.empty() ? "none" : words;
}

std::string order_in_words(const Recipe& recipe) {
  switch (recipe.order) {
    case Order::head_first:
      return "head first";
    case Order::cylinder_serpentine:
      return recipe.through_zones ? "cylinder serpentine through zones" : "cylinder serpentine";
    case Order::surface_serpentine:
      return fmt::format("surface serpentine of {} tracks{}{}", recipe.band,
                         recipe.heads_turn ? ", heads turn" : "",
                         recipe.through_zones ? ", bands reach over zones" : "");
  }
  return "";
}

std::string spares_in_words(const Recipe& recipe) {
  std::string words;
  for (const Spares& spares : recipe.spares)
    words += fmt::format("{}{} {} of {}{}{}", words.empty() ? "spares: " : " and ", spares.count,
                         spares.whole_tracks ? "tracks" : "sectors", unit_in_words(recipe, spares),
                         spares.in_front ? " in front" : "",
                         spares.absorbs ? " that absorb slips" : "");
  return words.empty() ? "no spares" : words;
}

std::string in_words(const Recipe& recipe, const Geometry& geometry, const Formatted& formatted) {
  std::string words = fmt::format(
      "{}; {} heads{}, {} zones, {} to {} sectors a track, {} sectors on {} tracks; {}",
      order_in_words(recipe), recipe.heads, recipe.per_head_sizes ? " of sizes of their own" : "",
      recipe.zones, recipe.sectors, recipe.last_sectors, geometry.slots(), geometry.tracks.size(),
      spares_in_words(recipe));
  if (recipe.gaps) words += "; unused cylinders between zones";
  if (recipe.unused_cylinder_every > 0) {
    words += recipe.order == Order::surface_serpentine
                 ? "; an unused cylinder behind each band"
                 : fmt::format("; every {}th cylinder unused", recipe.unused_cylinder_every);
  }
  if (recipe.unused_track_every > 0)
    words += fmt::format("; every {}th track unused", recipe.unused_track_every);
  if (recipe.reserved > 0) words += fmt::format("; {} sectors reserved in front", recipe.reserved);
  if (recipe.reserved_in_zones > 0)
    words += fmt::format("; {} sectors reserved in zones", recipe.reserved_in_zones);
  if (recipe.short_ends) words += "; zones end within a track";
  words += fmt::format("; {} listed defects", formatted.primary.size());
  if (recipe.defects.scratches > 0)
    words += fmt::format(", {} scratches", recipe.defects.scratches);
  if (formatted.whole_tracks > 0)
    words += fmt::format(", {} tracks given up", formatted.whole_tracks);
  if (!formatted.remaps.empty()) words += fmt::format("; {} remapped", formatted.remaps.size());
  return words;
}

bool some_track_ends_in_a_block(const Geometry& geometry, const std::vector<SlotRange>& holes,
                                std::size_t first, std::size_t end) {
  for (std::size_t track = first; track < end; ++track) {
    const std::uint64_t last = geometry.tracks[track].first_slot + geometry.tracks[track].sectors -
                               1;
    const auto hole = std::ranges::upper_bound(holes, last, {}, &SlotRange::end);
    if (hole == holes.end() || hole->first > last) return true;
  }
  return first == end;
}

}  // namespace

RandomLayout build(const Recipe& recipe, std::mt19937_64& random) {
  Dice dice(random);
  Geometry geometry = make_geometry(recipe, dice);
  Formatted formatted = format(recipe, geometry, dice);
  RandomLayout made;
  made.description = in_words(recipe, geometry, formatted);
  made.truth.zones = std::move(geometry.zones);
  made.truth.skips = compact(formatted.holes);
  made.truth.remaps = std::move(formatted.remaps);
  made.truth.spares = scheme_in_words(recipe);
  made.truth.method = "invented";
  made.primary = std::move(formatted.primary);
  made.grown = std::move(formatted.grown);
  made.heads = recipe.heads;
  made.track_length_visible = true;
  for (std::size_t zone = 0; zone + 1 < geometry.zone_tracks.size(); ++zone)
    made.track_length_visible &= some_track_ends_in_a_block(
        geometry, formatted.holes, geometry.zone_tracks[zone], geometry.zone_tracks[zone + 1]);
  return made;
}

}  // namespace platter::virtual_drive
