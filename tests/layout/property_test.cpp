// Random drives come out as they are, whatever the order of tracks, the sparing, the defects and
// the numbering of sectors; and a drive that cannot be mapped is refused, never mapped wrongly.

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "model/error.h"
#include "virtual_drive/random_layout.h"

namespace platter::layout::testing {
namespace {

using virtual_drive::build;
using virtual_drive::Order;
using virtual_drive::RandomLayout;
using virtual_drive::Recipe;
using virtual_drive::Unit;

// Small drives, of which many can be mapped in a second.
Recipe random_recipe(std::mt19937_64& random) {
  return virtual_drive::random_recipe(random, {.least_slots = 20'000, .most_slots = 300'000});
}

struct Outcome {
  int exact = 0;         // every block at its slot
  int same_tracks = 0;   // every block on its track, but some track's length is another
  int short_claims = 0;  // right where it claims to be
  int refused = 0;
};

// Throws nothing but failed checks.
void extract(const RandomLayout& drive, Behaviour behaviour, Outcome& outcome,
             const Options& options = {}) {
  SyntheticTranslator translator(drive.truth, behaviour);
  translator.primary = drive.primary;
  translator.grown = drive.grown;
  try {
    const Extraction found = by_address_translation(translator, options);
    CHECK(difference(drive.truth, found.layout, false) == "");
    if (!found.layout.not_understood.empty()) {
      ++outcome.short_claims;
      return;
    }
    const bool slots = difference(drive.truth, found.layout, true).empty();
    ++(slots ? outcome.exact : outcome.same_tracks);
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(error.status() == ExitStatus::unsupported);
    ++outcome.refused;
  }
}

TEST_CASE("random drives of all schemes of sparing are mapped block by block") {
  constexpr int kDrives = 200;
  Outcome outcome;
  int visible = 0;
  for (int seed = 0; seed < kDrives; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 1000);
    const RandomLayout drive = build(random_recipe(random), random);
    INFO("seed " << seed << ": " << drive.description);
    Behaviour behaviour;
    behaviour.base = static_cast<std::uint32_t>(seed % 2);
    if (drive.track_length_visible) ++visible;
    extract(drive, behaviour, outcome);
  }
  // Spares of every track that are never used do not show, nor does where a short last track ends.
  CHECK(outcome.exact >= visible * 95 / 100);
  CHECK(outcome.refused + outcome.short_claims <= kDrives * 2 / 100);
}

TEST_CASE("slipped sectors without a number, and numbers that start at the index") {
  constexpr int kDrives = 80;
  for (const Sectors sectors : {Sectors::without_holes, Sectors::from_index}) {
    Outcome outcome;
    for (int seed = 0; seed < kDrives; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 5000);
      const RandomLayout drive = build(random_recipe(random), random);
      INFO("seed " << seed << ": " << drive.description);
      Behaviour behaviour;
      behaviour.sectors = sectors;
      behaviour.base = static_cast<std::uint32_t>(seed % 2);
      extract(drive, behaviour, outcome);
    }
    CHECK(outcome.refused + outcome.short_claims <= kDrives * 5 / 100);
  }
}

TEST_CASE("defects that the drive does not list are found") {
  constexpr int kDrives = 80;
  for (const bool some_listed : {false, true}) {
    Outcome outcome;
    for (int seed = 0; seed < kDrives; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 9000);
      Recipe recipe = random_recipe(random);
      recipe.remaps = 0;  // one that no list names may lie in a spare that nobody asks
      RandomLayout drive = build(recipe, random);
      INFO("seed " << seed << ": " << drive.description);
      Behaviour behaviour;
      behaviour.gives_primary = behaviour.gives_grown = some_listed;
      if (some_listed) drive.primary.resize(drive.primary.size() / 2);
      // A list that leaves out half of the defects is only found out by looking at every unit.
      Options options;
      options.listed_grid_limit = options.grid_limit;
      extract(drive, behaviour, outcome, options);
    }
    CHECK(outcome.refused + outcome.short_claims <= kDrives * 5 / 100);
  }
}

// A known block that disagreed when no question was left was looked at for ever.
TEST_CASE("a limit of questions ends the search, and the rest of the drive is not claimed") {
  constexpr int kDrives = 60;
  int ended = 0;
  for (int seed = 0; seed < kDrives; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 1000);
    const RandomLayout drive = build(random_recipe(random), random);
    INFO("seed " << seed << ": " << drive.description);
    for (const bool lists : {true, false}) {
      Behaviour behaviour;
      behaviour.gives_primary = behaviour.gives_grown = lists;
      const auto mapped = [&](const Options& options) -> std::optional<Extraction> {
        SyntheticTranslator translator(drive.truth, behaviour);
        translator.primary = drive.primary;
        translator.grown = drive.grown;
        try {
          return by_address_translation(translator, options);
        } catch (const Error&) {
          return std::nullopt;
        }
      };
      const auto whole = mapped({});
      if (!whole) continue;
      for (const std::uint64_t percent : {40U, 80U, 90U, 95U}) {
        Options options;
        options.translation_limit = whole->translations * percent / 100;
        const auto part = mapped(options);
        ended += part && !part->layout.not_understood.empty() ? 1 : 0;
      }
    }
  }
  CHECK(ended > kDrives);
}

// Slips in front of free slots that are longer than their unit were counted backward, without end.
TEST_CASE("spares of whole zones behind slips end the search for a series") {
  std::mt19937_64 random(1'100'842);
  const RandomLayout drive = build(
      virtual_drive::random_recipe(random, {.least_slots = 20'000, .most_slots = 2'000'000}),
      random);
  INFO(drive.description);
  Outcome outcome;
  extract(drive, {}, outcome);
  CHECK(outcome.exact + outcome.same_tracks == 1);
}

TEST_CASE("surface serpentines are mapped") {
  Outcome outcome;
  for (int seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 3000);
    Recipe recipe = random_recipe(random);
    recipe.order = Order::surface_serpentine;
    recipe.spares = {{.unit = Unit::zone, .count = 100}};
    const RandomLayout drive = build(recipe, random);
    INFO("seed " << seed << ": " << drive.description);
    extract(drive, {}, outcome);
  }
  CHECK(outcome.refused + outcome.short_claims == 0);
}

TEST_CASE("spares of thousands of cylinders are a few skips, and cost few translations") {
  std::mt19937_64 random(42);
  Recipe recipe;
  recipe.spares = {{.unit = Unit::cylinder, .count = 12}};
  recipe.heads = 2;
  recipe.zones = 2;
  recipe.slots = 2'000'000;
  const RandomLayout drive = build(recipe, random);
  REQUIRE(drive.truth.skips.front().count > 1000);
  SyntheticTranslator translator(drive.truth, {});
  const Extraction found = by_address_translation(translator);
  CHECK(difference(drive.truth, found.layout, true) == "");
  CHECK(found.layout.skips.size() < 20);
  CHECK(found.translations < 3'000);
}

}  // namespace
}  // namespace platter::layout::testing
