#include "cache_probe/places.h"

#include <catch2/catch.hpp>

#include "model/error.h"

namespace platter::cache_probe {
namespace {

struct Tracks {
  std::uint32_t cylinders;
  std::uint32_t sectors;
};

engine::LayoutMap map_of(const std::vector<Tracks>& zones) {
  model::Layout layout;
  std::int32_t cylinder = 0;
  for (const Tracks& tracks : zones) {
    model::LayoutNode zone;
    zone.count = tracks.cylinders;
    zone.cylinder = cylinder;
    zone.cylinder_step = 1;
    zone.sectors = tracks.sectors;
    layout.zones.push_back(zone);
    cylinder += static_cast<std::int32_t>(tracks.cylinders);
  }
  return engine::LayoutMap(layout);
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

}  // namespace
}  // namespace platter::cache_probe
