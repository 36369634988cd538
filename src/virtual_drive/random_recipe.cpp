// Recipes drawn at random; docs/virtual-drives.md names every range that is written here.
#include <algorithm>

#include "virtual_drive/random_dice.h"
#include "virtual_drive/random_layout.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint32_t kMostSectors = 1500, kLeastSectors = 40;
constexpr std::uint64_t kMostCylinders = 100'000, kMostTracks = 1'000'000, kCylindersOfZone = 8000;

std::uint64_t rounded_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

void draw_size(Recipe& recipe, Dice& dice, const Limits& limits) {
  recipe.slots = dice.log_pick(limits.least_slots, limits.most_slots);
  recipe.heads = dice.pick32(1, 16);
  recipe.zones = dice.log_pick32(1, 30);
  recipe.heads = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(recipe.heads, rounded_up(recipe.slots, kMostCylinders * 1000)));
  const std::uint64_t per_head = recipe.slots / recipe.heads;
  const std::uint64_t least = std::max<std::uint64_t>(
      {kLeastSectors, rounded_up(per_head, kMostCylinders), rounded_up(recipe.slots, kMostTracks)});
  const std::uint64_t most = std::clamp<std::uint64_t>(per_head / 12, least, kMostSectors);
  recipe.sectors = static_cast<std::uint32_t>(dice.log_pick(least, std::max(least, most)));
  const std::uint64_t cylinders = std::max<std::uint64_t>(3, per_head / recipe.sectors);
  recipe.zones = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(recipe.zones, rounded_up(cylinders, kCylindersOfZone),
                                std::max<std::uint64_t>(1, cylinders / 3)));
  recipe.last_sectors = static_cast<std::uint32_t>(recipe.sectors * dice.uniform(0.45, 0.75));
  if (recipe.zones == 1) recipe.last_sectors = recipe.sectors;
  recipe.per_head_sizes = dice.chance(0.25) && recipe.heads > 1;
}

void draw_order(Recipe& recipe, Dice& dice) {
  recipe.order = static_cast<Order>(dice.pick(0, 2));
  recipe.through_zones = dice.chance(0.5) && recipe.order != Order::head_first;
  const std::uint64_t cylinders = recipe.slots / recipe.heads / recipe.sectors / recipe.zones;
  recipe.band =
      static_cast<std::uint32_t>(dice.log_pick(3, std::clamp<std::uint64_t>(cylinders, 3, 300)));
  recipe.heads_turn = dice.chance(0.3) && recipe.order == Order::surface_serpentine;
  recipe.first_cylinder = dice.chance(0.3) ? dice.pick32(1, 20) : 0;
  recipe.gaps = dice.chance(0.25);
  if (dice.chance(0.12)) recipe.unused_cylinder_every = dice.log_pick32(4, 500);
  if (dice.chance(0.06)) recipe.unused_track_every = dice.log_pick32(10, 500);
  const std::uint64_t part = std::max<std::uint64_t>(1, recipe.slots / 50);
  if (dice.chance(0.3)) recipe.reserved = dice.log_pick(1, std::min<std::uint64_t>(20'000, part));
  if (dice.chance(0.15)) recipe.reserved_in_zones = dice.log_pick32(1, 3000);
  recipe.short_ends = dice.chance(0.2);
}

Spares draw_spares(Unit unit, bool whole_tracks, Dice& dice) {
  Spares spares;
  spares.unit = unit;
  spares.whole_tracks = whole_tracks;
  spares.group = dice.pick32(2, 12);
  switch (unit) {
    case Unit::track:
      spares.count = dice.pick32(1, 4);
      break;
    case Unit::cylinder:
      spares.count = dice.log_pick32(1, 30);
      break;
    case Unit::group:
      spares.count = dice.log_pick32(5, 200);
      break;
    case Unit::zone:
      spares.count = dice.log_pick32(10, 3000);
      break;
    case Unit::disk:
      spares.count = dice.log_pick32(10, 20'000);
      break;
  }
  if (whole_tracks) spares.count = dice.pick32(1, 5);
  return spares;
}

void draw_scheme(Recipe& recipe, Dice& dice) {
  const auto add = [&](Unit unit, bool whole_tracks = false) {
    recipe.spares.push_back(draw_spares(unit, whole_tracks, dice));
  };
  switch (dice.pick(0, 12)) {
    case 0:
      return;
    case 1:
      add(Unit::zone, true);
      break;
    case 2:
      add(Unit::track);
      break;
    case 3:
      add(Unit::cylinder);
      break;
    case 4:
      add(Unit::group);
      break;
    case 5:
      add(Unit::zone);
      break;
    case 6:
      add(Unit::disk);
      break;
    case 7:
      add(Unit::cylinder);
      add(Unit::zone, true);
      break;
    case 8:
      add(Unit::track);
      add(Unit::zone);
      break;
    case 9:
      add(Unit::cylinder);
      add(Unit::group);
      break;
    case 10:
      add(Unit::cylinder);
      add(Unit::disk);
      break;
    case 11:
      add(Unit::track);
      add(Unit::cylinder);
      break;
    default:
      add(Unit::group);
      add(Unit::zone, true);
      break;
  }
  recipe.spares.front().in_front = recipe.spares.front().unit != Unit::disk && dice.chance(0.15);
  if (dice.chance(0.6)) {
    const bool outer = recipe.spares.size() > 1 && dice.chance(0.3);
    (outer ? recipe.spares.back() : recipe.spares.front()).absorbs = true;
  }
  recipe.slips_tracks = std::ranges::any_of(recipe.spares, &Spares::whole_tracks) &&
                        dice.chance(0.4);
}

void draw_defects(Recipe& recipe, Dice& dice, const Limits& limits) {
  const std::uint64_t tracks = recipe.slots / recipe.sectors;
  // No drive leaves its maker with more than some per mille of bad sectors, or per cent of tracks.
  const auto most = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      std::min(recipe.slots / 300, recipe.slips_tracks ? tracks / 50 : recipe.slots), 1,
      limits.most_defects));
  if (dice.chance(0.75)) recipe.defects.singles = dice.log_pick32(1, most);
  if (dice.chance(0.4)) recipe.defects.clusters = dice.log_pick32(1, std::max(1U, most / 20));
  if (dice.chance(0.3))
    recipe.defects.scratches = dice.pick32(
        1, std::clamp<std::uint32_t>(static_cast<std::uint32_t>(tracks / 600), 1, 6));
  if (dice.chance(0.15))
    recipe.defects.whole_tracks = dice.pick32(
        1, std::clamp<std::uint32_t>(static_cast<std::uint32_t>(tracks / 100), 1, 8));
  if (recipe.slips_tracks) recipe.defects.scratches = 0;
  if (dice.chance(0.4)) recipe.remaps = dice.log_pick32(1, std::min(200U, most));
  recipe.remaps_to = static_cast<RemapsTo>(dice.pick(0, 2));
}

}  // namespace

Recipe random_recipe(std::mt19937_64& random, const Limits& limits) {
  Dice dice(random);
  Recipe recipe;
  draw_size(recipe, dice, limits);
  draw_order(recipe, dice);
  draw_scheme(recipe, dice);
  draw_defects(recipe, dice, limits);
  return recipe;
}

}  // namespace platter::virtual_drive
