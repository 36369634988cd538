// Drives whose regularity reaches far: cylinders left out, heads with sizes of their own, spares
// longer than a track, slips that no list names and spares make up for. Each block comes out right,
// in so many questions as the units of spares need.
#include <algorithm>

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "virtual_drive/random_layout.h"

namespace platter::layout::testing {
namespace {

using virtual_drive::build;
using virtual_drive::Order;
using virtual_drive::RandomLayout;
using virtual_drive::Recipe;
using virtual_drive::Unit;

constexpr Behaviour kNoLists{.gives_primary = false, .gives_grown = false};
constexpr Behaviour kFromIndex{
    .sectors = Sectors::from_index, .gives_primary = false, .gives_grown = false};
constexpr Behaviour kNotBack{.translates_back = false};
constexpr Behaviour kFromIndexNotBack{.sectors = Sectors::from_index,
                                      .gives_primary = false,
                                      .gives_grown = false,
                                      .translates_back = false};

Recipe own_sizes() {
  Recipe recipe;
  recipe.heads = 5;
  recipe.zones = 3;
  recipe.sectors = 120;
  recipe.last_sectors = 80;
  recipe.slots = 600'000;
  recipe.per_head_sizes = true;
  return recipe;
}

struct Mapped {
  Extraction found;
  std::size_t true_zones = 0;
};

Mapped map_exactly(const Recipe& recipe, std::uint64_t seed, const Behaviour& behaviour,
                   bool lengths_show = true) {
  std::mt19937_64 random(seed);
  const RandomLayout drive = build(recipe, random);
  INFO("seed " << seed << ": " << drive.description);
  SyntheticTranslator translator(drive.truth, behaviour);
  translator.primary = drive.primary;
  translator.grown = drive.grown;
  Mapped mapped{by_address_translation(translator), drive.truth.zones.size()};
  const bool slots = lengths_show && behaviour.sectors == Sectors::from_first;
  CHECK(difference(drive.truth, mapped.found.layout, slots) == "");
  for (const auto& range : mapped.found.layout.not_understood) FAIL_CHECK(range.reason);
  return mapped;
}

TEST_CASE("a serpentine that leaves cylinders out is one order, not a zone a piece") {
  Recipe recipe = own_sizes();
  recipe.order = Order::cylinder_serpentine;
  recipe.unused_cylinder_every = 8;  // seven cylinders: the next one goes the other way
  recipe.spares = {{.unit = Unit::group, .count = 31, .group = 2, .absorbs = true}};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    for (const bool through_zones : {false, true}) {
      recipe.through_zones = through_zones;
      for (const Behaviour& behaviour : {kNoLists, kFromIndex, kFromIndexNotBack}) {
        const Mapped mapped = map_exactly(recipe, seed, behaviour);
        CHECK(mapped.found.layout.zones.size() <= 3 * mapped.true_zones);
        CHECK(mapped.found.translations < 9'000);
      }
    }
  }
}

TEST_CASE("spares longer than the last track of their unit reach over its end") {
  Recipe recipe = own_sizes();
  recipe.heads = 4;
  recipe.zones = 6;
  recipe.sectors = 68;
  recipe.last_sectors = 34;
  recipe.spares = {{.unit = Unit::cylinder, .count = 9, .absorbs = true},
                   {.unit = Unit::group, .count = 41, .group = 3}};
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    CHECK(map_exactly(recipe, seed, {}).found.translations < 9'000);
}

TEST_CASE("zones that differ only in where their groups of cylinders begin are told apart") {
  Recipe recipe;
  recipe.zones = 4;
  recipe.sectors = recipe.last_sectors = 60;
  recipe.slots = 1'000'000;
  recipe.spares = {{.unit = Unit::group, .count = 17, .group = 3}};
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    CHECK(map_exactly(recipe, seed, {}).found.translations < 16'000);
}

TEST_CASE("numbers that wrap early on one head tell a zone where heads differ") {
  Recipe recipe = own_sizes();
  recipe.order = Order::cylinder_serpentine;
  recipe.through_zones = true;
  recipe.short_ends = true;
  recipe.reserved_in_zones = 40;
  recipe.defects.singles = 2;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    CHECK(map_exactly(recipe, seed, kFromIndexNotBack).found.translations < 6'000);
}

TEST_CASE("a serpentine of two heads shows their sizes, though one of them ends two cylinders") {
  Recipe recipe = own_sizes();
  recipe.heads = 2;
  recipe.order = Order::cylinder_serpentine;
  recipe.spares = {{.unit = Unit::cylinder, .count = 5}};
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    CHECK(map_exactly(recipe, seed, kNotBack, false).found.translations < 2'000);
}

TEST_CASE("tracks given up for defects that no list names use up the spares of their unit") {
  Recipe recipe = own_sizes();
  recipe.zones = 2;
  recipe.spares = {{.unit = Unit::cylinder, .count = 9, .absorbs = true}};
  recipe.defects.singles = 40;
  recipe.defects.whole_tracks = 60;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Mapped mapped = map_exactly(recipe, seed, kFromIndex);
    CHECK(mapped.found.layout.zones.size() < 30);
    CHECK(mapped.found.translations < 14'000);
  }
}

TEST_CASE("where two units end on one track, a track given up uses up the spares of one") {
  Recipe recipe;
  recipe.order = Order::cylinder_serpentine;
  recipe.heads = 11;
  recipe.zones = 2;
  recipe.sectors = 60;
  recipe.last_sectors = 50;
  recipe.slots = 3'000'000;
  recipe.spares = {{.unit = Unit::cylinder, .count = 2, .absorbs = true},
                   {.unit = Unit::group, .count = 13, .group = 10}};
  recipe.defects.whole_tracks = 8;
  for (std::uint64_t seed = 2; seed < 15; ++seed) {
    const Mapped mapped = map_exactly(recipe, seed, {});
    CHECK(mapped.found.layout.zones.size() == mapped.true_zones);
    CHECK(mapped.found.translations < 1'600);
  }
}

TEST_CASE("slips that spares make up for are found in tens of thousands of units") {
  Recipe recipe;
  recipe.heads = 2;
  recipe.zones = 2;
  recipe.sectors = recipe.last_sectors = 20;
  recipe.slots = 1'200'000;  // 30,000 cylinders
  recipe.defects.singles = 40;
  SECTION("at the end of a cylinder, numbers from the first") {
    recipe.spares = {{.unit = Unit::cylinder, .count = 2, .absorbs = true}};
    CHECK(map_exactly(recipe, 1, kNoLists).found.translations < 65'000);
  }
  SECTION("at the end of a cylinder, numbers from the index") {
    recipe.spares = {{.unit = Unit::cylinder, .count = 2, .absorbs = true}};
    CHECK(map_exactly(recipe, 1, kFromIndex).found.translations < 65'000);
  }
  SECTION("in front of each track") {
    recipe.slots = 600'000;
    recipe.spares = {{.unit = Unit::track, .count = 2, .in_front = true, .absorbs = true}};
    CHECK(map_exactly(recipe, 1, kNoLists).found.translations < 65'000);
  }
}

TEST_CASE("where units are too many for the questions, a note says how many slips are left") {
  Recipe recipe;
  recipe.heads = 2;
  recipe.zones = 1;
  recipe.sectors = recipe.last_sectors = 20;
  recipe.slots = 400'000;
  recipe.defects.singles = 300;
  recipe.spares = {{.unit = Unit::track, .count = 2, .absorbs = true}};
  std::mt19937_64 random(3);
  const RandomLayout drive = build(recipe, random);
  SyntheticTranslator translator(drive.truth, kNoLists);
  Options options;
  options.grid_limit = 10'000;
  const Extraction found = by_address_translation(translator, options);
  CHECK(found.translations < 25'000);
  const auto note = std::ranges::find_if(found.notes, [](const model::Noted& noted) {
    return noted.text().find("slips that the map does not have") != std::string::npos;
  });
  CHECK(note != found.notes.end());
}

TEST_CASE("remapped blocks that no list names are found by the first spares of each unit") {
  Recipe recipe;
  recipe.heads = 3;
  recipe.zones = 2;
  recipe.slots = 400'000;
  recipe.sectors = recipe.last_sectors = 60;
  recipe.spares = {{.unit = Unit::cylinder, .count = 12}};
  recipe.remaps = 30;
  for (const auto where : {virtual_drive::RemapsTo::own_unit, virtual_drive::RemapsTo::neighbour,
                           virtual_drive::RemapsTo::last_spares}) {
    recipe.remaps_to = where;
    map_exactly(recipe, 5, kNoLists);
  }
}

TEST_CASE("where numbers start on a spare track, the skew of its head tells") {
  Recipe recipe = own_sizes();
  recipe.spares = {{.unit = Unit::zone, .count = 1, .whole_tracks = true}};
  recipe.remaps = 12;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    const RandomLayout drive = build(recipe, random);
    INFO("seed " << seed << ": " << drive.description);
    SyntheticTranslator translator(drive.truth, kFromIndex);
    const Extraction found = by_address_translation(translator);
    CHECK(difference(drive.truth, found.layout, true) == "");
  }
}

}  // namespace
}  // namespace platter::layout::testing
