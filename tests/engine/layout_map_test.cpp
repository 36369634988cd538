#include "engine/layout_map.h"

#include <cmath>
#include <map>
#include <set>

#include "catch.h"
#include "engine/random_layout.h"
#include "engine/spelled_out.h"
#include "model/error.h"

using namespace platter;
using namespace platter::engine;
using model::LayoutNode;
using testing::Place;
using testing::play;

namespace {

std::vector<std::uint64_t> lbn_to_slot(const model::Layout& layout, std::uint64_t slots) {
  std::vector<bool> skipped(slots, false);
  for (const auto& skip : layout.skips)
    for (std::uint64_t run = 0; run < skip.count; ++run)
      for (std::uint64_t i = 0; i < skip.length; ++i)
        skipped[skip.first_slot + run * skip.stride + i] = true;
  std::vector<std::uint64_t> map;
  for (std::uint64_t slot = 0; slot < slots; ++slot)
    if (!skipped[slot]) map.push_back(slot);
  for (const auto& remap : layout.remaps) map[remap.lbn] = remap.slot;
  return map;
}

}  // namespace

TEST_CASE("a layout map agrees with the layout spelled out, sector by sector") {
  std::mt19937_64 random(20);
  for (int round = 0; round < 200; ++round) {
    const model::Layout layout = testing::random_layout(random);
    std::vector<Place> places;
    for (const auto& zone : layout.zones) play(zone, 0, 0, 0, places);
    const auto slot_of = lbn_to_slot(layout, places.size());
    const LayoutMap map(layout);
    REQUIRE(map.slots() == places.size());
    REQUIRE(map.blocks() == slot_of.size());

    std::map<std::uint64_t, std::uint64_t> lbn_of;
    for (std::uint64_t lbn = 0; lbn < slot_of.size(); ++lbn) lbn_of[slot_of[lbn]] = lbn;
    bool all = true;
    for (std::uint64_t lbn = 0; lbn < slot_of.size(); ++lbn) {
      const Place& place = places[slot_of[lbn]];
      const Pbn pbn = map.pbn_of_lbn(lbn);
      all = all && map.slot_of_lbn(lbn) == slot_of[lbn] && pbn.cylinder == place.cylinder &&
            pbn.head == place.head && pbn.sector == place.sector && map.lbn_of_pbn(pbn) == lbn;
      const double error = std::remainder(rev_from_angle(map.angle_of_lbn(lbn)) - place.angle_rev,
                                          1);
      all = all && std::abs(error) < 1e-9;
    }
    REQUIRE(all);
    for (std::uint64_t slot = 0; slot < places.size(); ++slot) {
      const auto found = map.lbn_of_slot(slot);
      const auto expected = lbn_of.find(slot);
      all = all && found.has_value() == (expected != lbn_of.end()) &&
            (!found || *found == expected->second);
    }
    REQUIRE(all);
  }
}

TEST_CASE("tracks are found by cylinder and head, and not where there are none") {
  std::mt19937_64 random(21);
  for (int round = 0; round < 50; ++round) {
    const LayoutMap map(testing::random_layout(random));
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint64_t slot = 0; slot < map.slots();) {
      const Track track = map.track_of_slot(slot);
      REQUIRE(track.first_slot == slot);
      const auto found = map.track_at(track.cylinder, track.head);
      REQUIRE(found);
      REQUIRE(found->first_slot == track.first_slot);
      REQUIRE(found->angle == track.angle);
      seen.insert({track.cylinder, track.head});
      slot += track.sectors;
    }
    REQUIRE(seen.size() == map.tracks());
    for (std::uint32_t c = 0; c < map.cylinders() + 2; ++c)
      for (std::uint32_t h = 0; h < map.heads() + 1; ++h)
        REQUIRE(map.track_at(c, h).has_value() == (seen.count({c, h}) == 1));
  }
}

TEST_CASE("a model without a layout is no wrong one: its own reason is told") {
  model::Layout none;
  none.reason = "the drive does not answer address translation";
  try {
    LayoutMap map(none);
    FAIL("a map of nothing");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
    CHECK(std::string(error.what()).find(none.reason) != std::string::npos);
  }
}

TEST_CASE("layouts that no drive can have are refused in one sentence") {
  LayoutNode track;
  track.sectors = 10;
  track.count = 4;
  track.head_step = 1;
  model::Layout good;
  good.zones = {track};
  REQUIRE_NOTHROW(LayoutMap(good));

  auto refused = [&](auto change) {
    model::Layout bad = good;
    change(bad);
    REQUIRE_THROWS_AS(LayoutMap(bad), Error);
  };
  refused([](auto& l) { l.zones.clear(); });
  refused([](auto& l) { l.zones[0].count = 0; });
  refused([](auto& l) { l.zones[0].sectors = 0; });
  refused([](auto& l) { l.zones[0].children = {l.zones[0]}; });
  refused([](auto& l) { l.zones[0].head = -1; });
  refused([](auto& l) { l.zones[0].head_step = -1; });
  refused([](auto& l) { l.zones[0].angle_rev = std::nan(""); });
  refused([](auto& l) { l.skips = {{40, 1, 1, 0}}; });
  refused([](auto& l) { l.skips = {{5, 2, 1, 0}, {6, 1, 1, 0}}; });
  refused([](auto& l) { l.skips = {{5, 2, 3, 2}}; });
  refused([](auto& l) {
    l.skips = {{5, 2, 1, 0}};
    l.remaps = {{3, 5}, {9, 5}};
  });
  refused([](auto& l) { l.zones[0].head = 65'539; });  // 3, in 16 bits
  refused([](auto& l) { l.skips = {{5, 2, 30, 5}}; });
  refused([](auto& l) { l.remaps = {{40, 3}}; });
  refused([](auto& l) {
    for (int depth = 0; depth < 20; ++depth) {
      LayoutNode outer;
      outer.children = {l.zones[0]};
      l.zones[0] = outer;
    }
  });
  refused([](auto& l) {
    for (int depth = 0; depth < 4; ++depth) {
      LayoutNode outer;
      outer.count = 1u << 30;
      outer.children = {l.zones[0]};
      l.zones[0] = outer;
    }
  });
}

TEST_CASE("angles are fractions of a turn that wrap") {
  REQUIRE(angle_from_rev(0.25) == Angle{1} << 62);
  REQUIRE(angle_from_rev(1.25) == Angle{1} << 62);
  REQUIRE(angle_from_rev(-0.75) == Angle{1} << 62);
  REQUIRE(rev_from_angle(angle_from_rev(0.1)) == Approx(0.1).margin(1e-15));
  REQUIRE(angle_from_rev(-1e-30) == 0);
  REQUIRE(rev_from_angle(~Angle{0}) < 1.0);
}
