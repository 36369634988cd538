#include "cache_probe/places.h"

#include "catch.h"
#include "engine/plain_zones.h"
#include "model/error.h"

namespace platter::cache_probe {
namespace {

engine::LayoutMap map_of(const std::vector<engine::testing::PlainZone>& zones) {
  return engine::LayoutMap(engine::testing::plain_zones(zones));
}

TEST_CASE("where no zone is roomy, the most tracks count only where a request has room on them") {
  std::mt19937_64 random(1);
  const engine::LayoutMap map = map_of({{200, 4}, {100, 40}, {50, 60}});
  CHECK(Places(map, random).track_blocks() == 40);
}

TEST_CASE("a roomy zone goes before longer tracks, and long tracks before many") {
  std::mt19937_64 random(1);
  const engine::LayoutMap map = map_of({{900, 40}, {500, 60}, {100, 80}});
  CHECK(Places(map, random).track_blocks() == 60);
}

TEST_CASE("on tracks of a few sectors no cache is tested") {
  std::mt19937_64 random(1);
  const engine::LayoutMap map = map_of({{900, 7}});
  CHECK_THROWS_AS(Places(map, random), Error);
}

TEST_CASE("where few tracks of a roomy zone are of the usual length, these are used again") {
  constexpr int kLengths = 12, kTimes = 90, kPlaces = 200;
  model::LayoutNode zone;
  zone.count = kTimes;
  zone.cylinder_step = kLengths;
  for (int i = 0; i < kLengths; ++i) {
    model::LayoutNode track;
    track.cylinder = i;
    track.sectors = static_cast<std::uint32_t>(600 + i);
    zone.children.push_back(track);
  }
  model::Layout layout;
  layout.zones.push_back(zone);
  std::mt19937_64 random(1);
  const engine::LayoutMap map(layout);
  Places places(map, random);
  bool again = false;
  for (int i = 0; i < kPlaces; ++i) {
    const auto place = places.fresh(Kind::any, 600);
    REQUIRE(place);
    CHECK(place->blocks() == places.track_blocks());
    again |= places.used_before();
  }
  CHECK(again);
}

TEST_CASE("where most tracks have a defect, the usual one is of those that have none") {
  constexpr std::uint32_t kWith = 600, kWithout = 590, kTimes = 300, kDefectsOfTimes = 3;
  model::LayoutNode zone, with, without;
  zone.count = kTimes;
  zone.cylinder_step = kDefectsOfTimes + 1;
  with.count = kDefectsOfTimes;
  with.cylinder_step = 1;
  with.sectors = kWith;
  without.cylinder = kDefectsOfTimes;
  without.sectors = kWithout;
  zone.children = {with, without};
  model::Layout layout;
  layout.zones.push_back(zone);
  for (std::uint64_t i = 0; i < kTimes; ++i)
    for (std::uint64_t track = 0; track < kDefectsOfTimes; ++track)
      layout.skips.push_back(
          {i * (kDefectsOfTimes * kWith + kWithout) + track * kWith + kWith / 2});
  std::mt19937_64 random(1);
  const engine::LayoutMap map(layout);
  Places places(map, random);
  CHECK(places.track_blocks() == kWithout);
  CHECK(places.fresh(Kind::any, 0));
}

// Half of the random places that the search begins at are behind the last block.
TEST_CASE("where no block lies on the last tracks, a kind that there is none of is not found") {
  constexpr std::uint32_t kTracks = 900, kSectors = 40;
  model::Layout layout = engine::testing::plain_zones({{kTracks, kSectors}});
  layout.skips.push_back({kTracks / 2 * kSectors, kTracks / 2 * kSectors});
  std::mt19937_64 random(1);
  const engine::LayoutMap map(layout);
  REQUIRE(map.blocks() == kTracks / 2 * kSectors);
  Places places(map, random);
  for (int i = 0; i < 16; ++i) CHECK_FALSE(places.fresh(Kind::before_end, 0));
}

namespace {

// As many tracks as a drive of 18 MB has, each with sectors that hold no block.
model::Layout few_tracks(bool remapped) {
  constexpr std::uint64_t kTracks = 41, kSectors = 899;
  model::Layout layout = engine::testing::plain_zones({{kTracks, kSectors}});
  for (std::uint64_t track = 0; track < kTracks; ++track)
    layout.skips.push_back({track * kSectors + 17 * track % kSectors, 1 + track % 4});
  const engine::LayoutMap map(layout);
  for (std::uint64_t track = 0; remapped && track < kTracks; ++track)
    layout.remaps.push_back(
        {map.lbn_at_or_after_slot(track * kSectors + 700), layout.skips[track].first_slot});
  return layout;
}

}  // namespace

TEST_CASE("where hardly any track of few is without slipped blocks, all but the shortest serve") {
  constexpr int kPlaces = 200;
  std::mt19937_64 random(1);
  const engine::LayoutMap map(few_tracks(false));
  Places places(map, random);
  CHECK(places.track_blocks() == 895);
  for (int i = 0; i < kPlaces; ++i) {
    const auto place = places.fresh(Kind::any, 900);
    REQUIRE(place);
    CHECK(place->blocks() >= places.track_blocks());
  }
}

TEST_CASE("where tracks have blocks elsewhere none serves, however few there are") {
  std::mt19937_64 random(1);
  const engine::LayoutMap map(few_tracks(true));
  Places places(map, random);
  CHECK_FALSE(places.fresh(Kind::any, 0));
}

TEST_CASE("on a drive of few tracks in two zones those used longest ago are used again") {
  constexpr int kPlaces = 200;
  std::mt19937_64 random(1);
  const engine::LayoutMap map = map_of({{21, 438}, {20, 363}});
  Places places(map, random);
  int found = 0;
  for (int i = 0; i < kPlaces; ++i) found += places.fresh(Kind::any, 438) ? 1 : 0;
  CHECK(found == kPlaces);
}

}  // namespace
}  // namespace platter::cache_probe
