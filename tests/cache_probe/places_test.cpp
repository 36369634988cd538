#include "cache_probe/places.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace platter::cache_probe
