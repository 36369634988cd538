// Random layouts are what they say: valid, of one piece there and back, the same for the same seed.
#include "virtual_drive/random_layout.h"

#include <catch2/catch.hpp>

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
