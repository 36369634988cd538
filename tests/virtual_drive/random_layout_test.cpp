// Random layouts are what they say: valid, of one piece there and back, the same for the same seed.
#include "virtual_drive/random_layout.h"

#include <algorithm>
#include <vector>

#include "catch.h"
#include "engine/layout_map.h"
#include "model/validate.h"

namespace platter::virtual_drive {
namespace {

RandomLayout drawn(std::uint64_t seed, const Limits& limits) {
  std::mt19937_64 random(seed);
  return build(random_recipe(random, limits), random);
}

model::DriveModel drive_of(const RandomLayout& made) {
  model::DriveModel drive;
  drive.layout = made.truth;
  drive.identity.blocks = model::count_blocks(made.truth);
  return drive;
}

TEST_CASE("random layouts are valid, and lead there and back") {
  std::mt19937_64 samples(7);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomLayout made = drawn(seed, {.least_slots = 20'000, .most_slots = 3'000'000});
    INFO("seed " << seed << ": " << made.description);
    REQUIRE_NOTHROW(model::validate(drive_of(made), "it"));
    const engine::LayoutMap map(made.truth);
    REQUIRE(map.blocks() == model::count_blocks(made.truth));
    REQUIRE(map.slots() == model::count_slots(made.truth));
    bool same = true;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t lbn = samples() % map.blocks();
      const engine::Pbn place = map.pbn_of_lbn(lbn);
      const auto back = map.lbn_of_pbn(place);
      same = same && back && *back == lbn;
      const std::uint64_t slot = samples() % map.slots();
      const engine::Track track = map.track_of_slot(slot);
      const auto there = map.track_at(track.cylinder, track.head);
      same = same && there && there->first_slot == track.first_slot && there->angle == track.angle;
    }
    CHECK(same);
    // No block lies in a bad sector, and a remapped one not where the list says it was.
    bool free = true;
    for (const auto* list : {&made.primary, &made.grown})
      for (const std::uint64_t slot : *list) {
        const auto lbn = map.lbn_of_slot(slot);
        free = free && (!lbn || (list == &made.primary && map.is_remapped(*lbn)));
      }
    CHECK(free);
    CHECK(made.grown.size() == made.truth.remaps.size());
    CHECK(made.description.find(std::to_string(made.primary.size()) + " listed defects") !=
          std::string::npos);
    for (const model::Remap& remap : made.truth.remaps) {
      CHECK(std::ranges::binary_search(made.grown, map.slot_of_lbn(remap.lbn)) == false);
      CHECK_FALSE(std::ranges::binary_search(made.primary, remap.slot));
    }
  }
}

TEST_CASE("the same seed gives the same layout, another one another") {
  const Limits limits{.least_slots = 20'000, .most_slots = 500'000};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomLayout a = drawn(seed, limits), b = drawn(seed, limits),
                       c = drawn(seed + 1, limits);
    CHECK(a.description == b.description);
    CHECK(a.primary == b.primary);
    CHECK(a.grown == b.grown);
    CHECK(model::count_blocks(a.truth) == model::count_blocks(b.truth));
    CHECK(a.truth.zones.front().angle_rev == b.truth.zones.front().angle_rev);
    CHECK(a.description != c.description);
  }
}

// One zone of 10 cylinders of 2 tracks of 100 sectors.
Recipe small_recipe() {
  Recipe recipe;
  recipe.heads = 2;
  recipe.zones = 1;
  recipe.sectors = recipe.last_sectors = 100;
  recipe.slots = 2000;
  return recipe;
}

RandomLayout built(const Recipe& recipe) {
  std::mt19937_64 random(1);
  return build(recipe, random);
}

// Cylinder and head of each track, as 10 x cylinder + head.
std::vector<std::uint32_t> order_of(const model::Layout& layout) {
  const engine::LayoutMap map(layout);
  std::vector<std::uint32_t> order;
  for (std::uint64_t slot = 0; slot < map.slots();) {
    const engine::Track track = map.track_of_slot(slot);
    order.push_back(10 * track.cylinder + track.head);
    slot += track.sectors;
  }
  return order;
}

struct Run {
  std::uint64_t first, length, count, stride;
  bool operator==(const Run&) const = default;
};

std::vector<Run> skips_of(const Recipe& recipe) {
  std::vector<Run> runs;
  for (const model::Skip& skip : built(recipe).truth.skips)
    runs.push_back({skip.first_slot, skip.length, skip.count, skip.stride});
  return runs;
}

using Tracks = std::vector<std::uint32_t>;

TEST_CASE("tracks come in the order that the recipe says") {
  Recipe recipe = small_recipe();
  recipe.slots = 1000;  // 5 cylinders
  CHECK(order_of(built(recipe).truth) == Tracks{0, 1, 10, 11, 20, 21, 30, 31, 40, 41});
  recipe.unused_cylinder_every = 3;
  CHECK(order_of(built(recipe).truth) == Tracks{0, 1, 10, 11, 30, 31, 40, 41, 60, 61});
  recipe.order = Order::cylinder_serpentine;
  CHECK(order_of(built(recipe).truth) == Tracks{0, 1, 11, 10, 30, 31, 41, 40, 60, 61});
  recipe.unused_cylinder_every = 4;
  CHECK(order_of(built(recipe).truth) == Tracks{0, 1, 11, 10, 20, 21, 41, 40, 50, 51});
  recipe.unused_cylinder_every = 0;
  recipe.order = Order::surface_serpentine;
  recipe.band = 3;
  CHECK(order_of(built(recipe).truth) == Tracks{0, 10, 20, 21, 11, 1, 30, 40, 41, 31});
  recipe.heads_turn = true;
  CHECK(order_of(built(recipe).truth) == Tracks{0, 10, 20, 21, 11, 1, 31, 41, 40, 30});
  recipe.heads_turn = false;
  recipe.unused_cylinder_every = 4;
  CHECK(order_of(built(recipe).truth) == Tracks{0, 10, 20, 21, 11, 1, 40, 50, 51, 41});
}

TEST_CASE("a band that reaches into the next zone has tracks of both") {
  Recipe recipe = small_recipe();
  recipe.order = Order::surface_serpentine;
  recipe.through_zones = true;
  recipe.zones = 2;
  recipe.even_zones = true;
  recipe.band = 40;
  recipe.slots = 36'000;
  recipe.last_sectors = 80;
  const engine::LayoutMap map(built(recipe).truth);
  const std::uint32_t cylinders = map.cylinders();
  std::uint32_t boundary = 0;
  while (map.track_at(boundary, 0)->sectors == 100) ++boundary;
  REQUIRE(boundary % 40 != 0);
  const std::uint32_t start = boundary / 40 * 40;
  std::uint64_t slot = map.track_at(start, 0)->first_slot;
  for (std::uint32_t head = 0; head < 2; ++head) {
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::uint32_t cylinder = head == 0 ? start + i : start + 39 - i;
      const auto track = map.track_at(cylinder, head);
      REQUIRE(track);
      CHECK(track->first_slot == slot);
      CHECK(track->sectors == (cylinder < boundary ? 100 : 80));
      slot += track->sectors;
    }
  }
  for (std::uint32_t cylinder = 0; cylinder < cylinders; ++cylinder)
    CHECK(map.track_at(cylinder, 1)->sectors == (cylinder < boundary ? 100 : 80));
}

TEST_CASE("spares lie where the scheme says") {
  Recipe recipe = small_recipe();
  const auto with = [&](std::vector<Spares> spares) {
    recipe.spares = std::move(spares);
    return skips_of(recipe);
  };
  CHECK(with({}).empty());
  CHECK(with({{.unit = Unit::track, .count = 3}}) == std::vector<Run>{{97, 3, 20, 100}});
  CHECK(with({{.unit = Unit::cylinder, .count = 5}}) == std::vector<Run>{{195, 5, 10, 200}});
  CHECK(with({{.unit = Unit::cylinder, .count = 5, .in_front = true}}) ==
        std::vector<Run>{{0, 5, 10, 200}});
  CHECK(with({{.unit = Unit::group, .count = 7, .group = 4}}) ==
        std::vector<Run>{{793, 7, 2, 800}, {1993, 7, 1, 0}});
  CHECK(with({{.unit = Unit::zone, .count = 9}}) == std::vector<Run>{{1991, 9, 1, 0}});
  CHECK(with({{.unit = Unit::zone, .count = 2, .whole_tracks = true}}) ==
        std::vector<Run>{{1800, 200, 1, 0}});
  // The cylinder that lost its tracks to the zone has spares in front of them no more.
  CHECK(with({{.unit = Unit::cylinder, .count = 5},
              {.unit = Unit::zone, .count = 2, .whole_tracks = true}}) ==
        std::vector<Run>{{195, 5, 8, 200}, {1795, 205, 1, 0}});
  recipe.reserved = 10;
  CHECK(with({{.unit = Unit::cylinder, .count = 5, .in_front = true}}) ==
        std::vector<Run>{{0, 15, 1, 0}, {200, 5, 9, 200}});
}

TEST_CASE("a slip uses up a spare of its unit, if the scheme says so") {
  Recipe recipe = small_recipe();
  recipe.defects.singles = 30;
  for (const bool absorbs : {true, false}) {
    for (const bool in_front : {false, true}) {
      recipe.spares = {
          {.unit = Unit::cylinder, .count = 5, .in_front = in_front, .absorbs = absorbs}};
      const RandomLayout made = built(recipe);
      const engine::LayoutMap map(made.truth);
      for (std::uint64_t first = 0; first < 2000; first += 200) {
        std::uint64_t blocks = 0, slips = 0;
        for (std::uint64_t slot = first; slot < first + 200; ++slot)
          blocks += map.lbn_of_slot(slot).has_value() ? 1 : 0;
        for (const std::uint64_t slot : made.primary)
          slips += slot >= first && slot < first + 200 ? 1 : 0;
        const std::uint64_t aside = in_front ? first : first + 195;
        std::uint64_t in_spares = 0;
        for (const std::uint64_t slot : made.primary)
          in_spares += slot >= aside && slot < aside + 5 ? 1 : 0;
        CHECK(blocks ==
              (absorbs ? 200 - std::max<std::uint64_t>(5, slips) : 195 - (slips - in_spares)));
      }
    }
  }
}

TEST_CASE("a track that is given up is skipped as a whole, and takes one spare track") {
  Recipe recipe = small_recipe();
  recipe.spares = {{.unit = Unit::zone, .count = 4, .whole_tracks = true, .absorbs = true}};
  recipe.slips_tracks = true;
  recipe.defects.singles = 2;
  const RandomLayout made = built(recipe);
  const engine::LayoutMap map(made.truth);
  REQUIRE(made.primary.size() == 2);
  CHECK(map.blocks() == 1600);
  for (const std::uint64_t slot : made.primary)
    for (std::uint64_t at = slot / 100 * 100; at < slot / 100 * 100 + 100; ++at)
      CHECK_FALSE(map.lbn_of_slot(at));
}

TEST_CASE("a drive of hundreds of millions of blocks is as large as it was asked to be") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const RandomLayout made = drawn(seed, {.least_slots = 200'000'000, .most_slots = 400'000'000});
    INFO("seed " << seed << ": " << made.description);
    const auto slots = model::count_slots(made.truth);
    CHECK(slots > 190'000'000);
    CHECK(slots < 410'000'000);
    CHECK(made.truth.zones.size() <= 60);
  }
}

}  // namespace
}  // namespace platter::virtual_drive
