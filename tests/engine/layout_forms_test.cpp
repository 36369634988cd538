// Layouts of the forms that drives seldom have: tracks that follow no rule, many children, deep
// repeats, blocks remapped in the middle of regular skips. Every look-up against the layout spelled
// out.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "catch.h"
#include "engine/layout_map.h"
#include "engine/random_layout.h"
#include "engine/spelled_out.h"
#include "model/error.h"
#include "model/validate.h"

using namespace platter;
using namespace platter::engine;
using model::LayoutNode;
using testing::Place;
using testing::play;
using testing::uniform;
using testing::uniform_rev;

namespace {

using Random = std::mt19937_64;

LayoutNode track(Random& random, std::uint32_t sectors) {
  LayoutNode node;
  node.sectors = sectors;
  node.angle_rev = uniform_rev(random);
  return node;
}

// All tracks of some cylinders, in any order, of any size; some of them runs over two heads.
LayoutNode unruly(Random& random, std::uint32_t cylinders, std::uint32_t heads) {
  LayoutNode zone;
  for (std::uint32_t c = 0; c < cylinders; ++c) {
    for (std::uint32_t h = 0; h < heads; ++h) {
      LayoutNode one = track(random, uniform(random, 1, 40));
      one.cylinder = static_cast<std::int32_t>(c);
      one.head = static_cast<std::int32_t>(h);
      if (h + 1 < heads && random() % 3 == 0) {
        one.count = 2;
        one.head_step = 1;
        one.angle_step_rev = uniform_rev(random);
        if (random() % 2 == 0) {
          one.head += 1;
          one.head_step = -1;
        }
        ++h;
      }
      zone.children.push_back(one);
    }
  }
  std::shuffle(zone.children.begin(), zone.children.end(), random);
  zone.count = uniform(random, 1, 4);
  zone.cylinder_step = static_cast<std::int32_t>(cylinders);
  zone.angle_step_rev = uniform_rev(random);
  return zone;
}

// Groups of groups: `groups` children, each its own run over cylinders and heads.
LayoutNode nested(Random& random, std::uint32_t groups, std::uint32_t heads) {
  LayoutNode zone;
  std::int32_t cylinder = 0;
  for (std::uint32_t g = 0; g < groups; ++g) {
    LayoutNode up = track(random, uniform(random, 1, 9));
    up.count = heads;
    up.head_step = 1;
    LayoutNode group;
    group.cylinder = cylinder;
    group.count = uniform(random, 1, 6);
    group.cylinder_step = uniform(random, 0, 1) == 0 ? 1 : 2;
    group.angle_step_rev = uniform_rev(random);
    group.children = {up};
    cylinder += group.cylinder_step * static_cast<std::int32_t>(group.count);
    zone.children.push_back(group);
  }
  zone.count = uniform(random, 1, 3);
  zone.cylinder_step = cylinder;
  return zone;
}

std::int32_t cylinders_in(const LayoutNode& zone) {
  return zone.cylinder_step * static_cast<std::int32_t>(zone.count);
}

void add_skips(Random& random, model::Layout& layout, std::uint64_t slots) {
  std::uint64_t at = random() % 20;
  while (at + 10 < slots) {
    model::Skip skip;
    skip.first_slot = at;
    skip.length = uniform(random, 1, 5);
    const std::uint64_t room = slots - at - skip.length;
    if (random() % 2 == 0) {
      skip.stride = skip.length + uniform(random, 1, 12);
      skip.count = 1 + std::min<std::uint64_t>(uniform(random, 1, 40), room / skip.stride);
      if (skip.count == 1) skip.stride = 0;
    }
    if (skip.length > slots - at) break;
    layout.skips.push_back(skip);
    at += (skip.count - 1) * skip.stride + skip.length + random() % 60;
  }
}

// Spare slots for a share of the blocks, any block for any of them.
void add_remaps(Random& random, model::Layout& layout, const std::vector<bool>& skipped) {
  const auto blocks = static_cast<std::uint64_t>(std::count(skipped.begin(), skipped.end(), false));
  std::vector<std::uint64_t> spares;
  for (std::uint64_t slot = 0; slot < skipped.size(); ++slot)
    if (skipped[slot]) spares.push_back(slot);
  std::shuffle(spares.begin(), spares.end(), random);
  spares.resize(std::min<std::size_t>(spares.size(), random() % 40));
  std::set<std::uint64_t> remapped;
  for (const std::uint64_t slot : spares) {
    const std::uint64_t lbn = random() % 3 == 0 && !remapped.empty()
                                  ? std::min(*remapped.rbegin() + 1, blocks - 1)
                                  : random() % blocks;
    if (remapped.insert(lbn).second) layout.remaps.push_back({lbn, slot});
  }
}

struct SpelledOut {
  model::Layout layout;
  std::vector<Place> places;               // by slot
  std::vector<bool> skipped;               // by slot
  std::vector<std::uint64_t> in_sequence;  // LBN to slot, remaps not followed
  std::vector<std::uint64_t> slot_of;
  std::map<std::uint64_t, std::uint64_t> lbn_of;
};

SpelledOut random_forms(Random& random) {
  SpelledOut all;
  std::int32_t cylinder = 0;
  for (std::uint32_t zones = uniform(random, 1, 12); zones > 0; --zones) {
    LayoutNode zone = random() % 2 == 0
                          ? unruly(random, uniform(random, 1, 3), uniform(random, 1, 6))
                          : nested(random, uniform(random, 1, 14), uniform(random, 1, 4));
    zone.cylinder = cylinder;
    zone.angle_rev = uniform_rev(random);
    cylinder += cylinders_in(zone) + static_cast<std::int32_t>(random() % 2);
    all.layout.zones.push_back(zone);
  }
  for (const auto& zone : all.layout.zones) play(zone, 0, 0, 0, all.places);
  add_skips(random, all.layout, all.places.size());
  all.skipped.assign(all.places.size(), false);
  for (const auto& skip : all.layout.skips)
    for (std::uint64_t run = 0; run < skip.count; ++run)
      for (std::uint64_t i = 0; i < skip.length; ++i)
        all.skipped.at(skip.first_slot + run * skip.stride + i) = true;
  if (std::find(all.skipped.begin(), all.skipped.end(), false) == all.skipped.end())
    return random_forms(random);
  add_remaps(random, all.layout, all.skipped);
  for (std::uint64_t slot = 0; slot < all.skipped.size(); ++slot)
    if (!all.skipped[slot]) all.in_sequence.push_back(slot);
  all.slot_of = all.in_sequence;
  for (const auto& remap : all.layout.remaps) all.slot_of[remap.lbn] = remap.slot;
  for (std::uint64_t lbn = 0; lbn < all.slot_of.size(); ++lbn) all.lbn_of[all.slot_of[lbn]] = lbn;
  return all;
}

}  // namespace

TEST_CASE("unruly tracks, many children, remaps among skips: every look-up, spelled out") {
  Random random(31);
  for (int round = 0; round < 250; ++round) {
    const SpelledOut all = random_forms(random);
    const LayoutMap map(all.layout);
    INFO("round " << round);
    REQUIRE(map.slots() == all.places.size());
    REQUIRE(map.blocks() == all.in_sequence.size());
    bool right = true;
    for (std::uint64_t lbn = 0; lbn < map.blocks(); ++lbn) {
      const Place& place = all.places[all.slot_of[lbn]];
      const Pbn pbn = map.pbn_of_lbn(lbn);
      right = right && map.slot_of_lbn(lbn) == all.slot_of[lbn] && pbn.cylinder == place.cylinder &&
              pbn.head == place.head && pbn.sector == place.sector && map.lbn_of_pbn(pbn) == lbn &&
              map.is_remapped(lbn) == (all.slot_of[lbn] != all.in_sequence[lbn]);
      const double angle = rev_from_angle(map.angle_of_lbn(lbn));
      right = right && std::abs(std::remainder(angle - place.angle_rev, 1)) < 1e-9;
      const auto run = map.run_at(lbn);
      right = right && run.slot == all.slot_of[lbn] && run.end > lbn;
      const std::uint64_t end = std::min({run.end, map.blocks(), lbn + 50});
      for (std::uint64_t next = lbn; right && next < end; ++next)
        right = all.slot_of[next] == run.slot + (next - lbn);
    }
    REQUIRE(right);
  }
}

TEST_CASE("what is at a slot, and what comes behind it") {
  Random random(32);
  for (int round = 0; round < 250; ++round) {
    const SpelledOut all = random_forms(random);
    const LayoutMap map(all.layout);
    INFO("round " << round);
    bool right = true;
    std::uint64_t next = 0;
    for (std::uint64_t slot = 0; slot < map.slots(); ++slot) {
      const auto found = map.lbn_of_slot(slot);
      const auto expected = all.lbn_of.find(slot);
      right = right && found.has_value() == (expected != all.lbn_of.end()) &&
              (!found || *found == expected->second);
      while (next < map.blocks() && all.in_sequence[next] < slot) ++next;
      right = right && map.lbn_at_or_after_slot(slot) == next;
      for (const std::uint64_t near : {next, next - std::min<std::uint64_t>(next, 7), next + 5})
        if (near < map.blocks()) right = right && map.lbn_at_or_after_slot(slot, near) == next;
      const Track track = map.track_of_slot(slot);
      right = right && track.first_slot == all.places[slot].first_slot &&
              track.sectors == all.places[slot].sectors;
    }
    REQUIRE(right);
    REQUIRE(map.lbn_at_or_after_slot(map.slots()) == map.blocks());
  }
}

TEST_CASE("a track is found by its place, wherever it stands in a list") {
  Random random(33);
  for (int round = 0; round < 100; ++round) {
    const SpelledOut all = random_forms(random);
    const LayoutMap map(all.layout);
    std::map<std::pair<std::int64_t, std::int64_t>, const Place*> tracks;
    for (const Place& place : all.places) {
      if (place.sector == 0) tracks[{place.cylinder, place.head}] = &place;
    }
    REQUIRE(map.tracks() == tracks.size());
    for (std::uint32_t c = 0; c < map.cylinders() + 1; ++c) {
      for (std::uint32_t h = 0; h < map.heads() + 1; ++h) {
        const auto found = map.track_at(c, h);
        const auto expected = tracks.find({c, h});
        REQUIRE(found.has_value() == (expected != tracks.end()));
        if (!found) continue;
        const Place& place = *expected->second;
        REQUIRE(found->first_slot == place.first_slot);
        REQUIRE(found->sectors == place.sectors);
        REQUIRE(found->slot_angle == map.track_of_slot(place.first_slot).slot_angle);
        REQUIRE(found->zone == map.track_of_slot(place.first_slot).zone);
        REQUIRE(std::abs(std::remainder(rev_from_angle(found->angle) - place.angle_rev, 1)) < 1e-9);
      }
    }
  }
}

TEST_CASE("the largest layouts that are allowed, and what is just too large") {
  const auto zone = [](std::uint32_t count, std::int32_t cylinder, std::uint32_t sectors) {
    LayoutNode node;
    node.count = count;
    node.cylinder = cylinder;
    node.cylinder_step = 1;
    node.sectors = sectors;
    model::Layout layout;
    layout.zones = {node};
    return layout;
  };
  const auto refused = [](const model::Layout& layout) {
    CHECK_THROWS_AS(LayoutMap(layout), Error);
  };
  constexpr std::int32_t kFarthest = 1 << 30;
  CHECK(LayoutMap(zone(1, kFarthest, 10)).cylinders() == kFarthest + 1);
  CHECK(LayoutMap(zone(11, kFarthest - 10, 10)).pbn_of_lbn(109).cylinder == kFarthest);
  refused(zone(1, kFarthest + 1, 10));
  refused(zone(12, kFarthest - 10, 10));
  CHECK(LayoutMap(zone(kFarthest + 1, 0, 10)).tracks() == kFarthest + 1);
  refused(zone(kFarthest + 2u, 0, 10));
  CHECK(LayoutMap(zone(3, 0, model::kMostSectors)).blocks() == 3ull * model::kMostSectors);
  refused(zone(3, 0, model::kMostSectors + 1));
  CHECK(LayoutMap(zone(1u << 28, 0, 1u << 20)).slots() == 1ull << 48);
  refused(zone((1u << 28) + 1, 0, 1u << 20));
  model::Layout two = zone(1u << 27, 0, 1u << 20);
  two.zones.push_back(two.zones[0]);
  CHECK(LayoutMap(two).slots() == 1ull << 48);
  two.zones.push_back(zone(1, 0, 1).zones[0]);
  refused(two);
  two.zones.pop_back();
  two.zones[1].count += 1;
  refused(two);
  model::Layout heads = zone(1, 0, 10);
  heads.zones[0].head = 32767;
  CHECK(LayoutMap(heads).heads() == 32768);
  heads.zones[0].head = 32768;
  refused(heads);
  model::Layout below = zone(4, 3, 10);
  below.zones[0].cylinder_step = -1;
  CHECK(LayoutMap(below).pbn_of_lbn(39).cylinder == 0);
  below.zones[0].cylinder = 2;
  refused(below);
}

TEST_CASE("sixteen levels of repeats are allowed, seventeen are not") {
  const auto levels = [](int count) {
    LayoutNode node;
    node.sectors = 7;
    for (int level = 1; level < count; ++level) {
      LayoutNode outer;
      outer.count = 2;
      outer.cylinder_step = 1 << (level - 1);
      outer.children = {node};
      node = outer;
    }
    model::Layout layout;
    layout.zones = {node};
    return layout;
  };
  const LayoutMap map(levels(16));
  CHECK(map.cylinders() == 1u << 15);
  CHECK(map.pbn_of_lbn(7 * 12345 + 3) == Pbn{12345, 0, 3});
  CHECK_THROWS_AS(LayoutMap(levels(17)), Error);
}

TEST_CASE("skips may end with the last slot and not behind it; some block must be left") {
  LayoutNode tracks;
  tracks.count = 4;
  tracks.head_step = 1;
  tracks.sectors = 10;
  const auto blocks = [&](std::vector<model::Skip> skips, std::vector<model::Remap> remaps = {}) {
    model::Layout layout;
    layout.zones = {tracks};
    layout.skips = std::move(skips);
    layout.remaps = std::move(remaps);
    return LayoutMap(layout).blocks();
  };
  CHECK(blocks({{39, 1, 1, 0}}) == 39);
  CHECK(blocks({{30, 10, 1, 0}}) == 30);
  CHECK(blocks({{0, 39, 1, 0}}) == 1);
  CHECK(blocks({{9, 1, 4, 10}}) == 36);
  CHECK(blocks({{8, 2, 1, 0}, {10, 2, 1, 0}}) == 36);
  CHECK(blocks({{0, 1, 20, 2}}) == 20);
  CHECK(blocks({{38, 2, 1, 0}}, {{37, 39}}) == 38);
  CHECK_THROWS_AS(blocks({{39, 2, 1, 0}}), Error);
  CHECK_THROWS_AS(blocks({{0, 40, 1, 0}}), Error);
  CHECK_THROWS_AS(blocks({{9, 1, 5, 10}}), Error);
  CHECK_THROWS_AS(blocks({{9, 2, 4, 10}}), Error);
  CHECK_THROWS_AS(blocks({{8, 3, 1, 0}, {10, 2, 1, 0}}), Error);
  CHECK_THROWS_AS(blocks({{0, 2, 20, 2}}), Error);
  CHECK_THROWS_AS(blocks({{5, 0, 1, 0}}), Error);
  CHECK_THROWS_AS(blocks({{5, 1, 0, 0}}), Error);
  CHECK_THROWS_AS(blocks({{38, 2, 1, 0}}, {{38, 39}}), Error);
  CHECK_THROWS_AS(blocks({{38, 2, 1, 0}}, {{3, 40}}), Error);
  CHECK_THROWS_AS(blocks({{38, 2, 1, 0}}, {{3, 38}, {3, 39}}), Error);
}

TEST_CASE("a drive of one block") {
  LayoutNode track;
  track.sectors = 40;
  model::Layout layout;
  layout.zones = {track};
  layout.skips = {{0, 25, 1, 0}, {26, 14, 1, 0}};
  const LayoutMap map(layout);
  REQUIRE(map.blocks() == 1);
  for (std::uint64_t slot = 0; slot < 40; ++slot) {
    CHECK(map.lbn_at_or_after_slot(slot) == (slot <= 25 ? 0 : 1));
    CHECK(map.lbn_of_slot(slot).has_value() == (slot == 25));
  }
}
