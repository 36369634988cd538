// Zones whose cylinders are empty at a stride become groups; no block moves.
#include "mtbrc/empty_units.h"

#include "catch.h"
#include "engine/layout_map.h"

using namespace platter;

namespace {

// 100 cylinders of 3 heads of 10 sectors: 30 slots each.
model::Layout zone_with(std::vector<model::Skip> skips) {
  model::LayoutNode track, zone;
  track.count = 3;
  track.head_step = 1;
  track.sectors = 10;
  zone.count = 100;
  zone.cylinder = 5;
  zone.cylinder_step = 1;
  zone.children = {track};
  model::Layout layout;
  layout.zones = {zone};
  layout.skips = std::move(skips);
  return layout;
}

void check_same_places(const model::Layout& before, const model::Layout& after) {
  const engine::LayoutMap a(before), b(after);
  REQUIRE(a.blocks() == b.blocks());
  for (std::uint64_t lbn = 0; lbn < a.blocks(); ++lbn)
    REQUIRE(a.pbn_of_lbn(lbn) == b.pbn_of_lbn(lbn));
}

}  // namespace

TEST_CASE("zones with empty cylinders at a stride are written as groups") {
  // Every 7th cylinder from the 3rd on, with a spare sector in front of each.
  const model::Layout layout = zone_with({{2 * 30 - 1, 31, 14, 7 * 30}});
  const model::Layout grouped = mtbrc::grouped_by_empty_units(layout);
  check_same_places(layout, grouped);
  REQUIRE(grouped.zones.size() == 3);
  CHECK(grouped.zones[0].count == 3);
  CHECK(grouped.zones[1].count == 13);
  CHECK(grouped.zones[1].cylinder_step == 7);
  CHECK(grouped.zones[1].children.front().count == 7);
  CHECK(grouped.zones[2].count == 6);
}

TEST_CASE("zones without such a stride stay what they are") {
  for (const auto& skips :
       {std::vector<model::Skip>{}, std::vector<model::Skip>{{60, 30, 2, 210}},
        std::vector<model::Skip>{{59, 30, 14, 210}},
        std::vector<model::Skip>{{60, 30, 1, 0}, {210, 30, 1, 0}, {900, 30, 1, 0}, {990, 30, 1, 0}},
        std::vector<model::Skip>{{60, 300, 1, 0}}}) {
    const model::Layout layout = zone_with(skips);
    const model::Layout grouped = mtbrc::grouped_by_empty_units(layout);
    CHECK(grouped.zones.size() == 1);
    check_same_places(layout, grouped);
  }
}
