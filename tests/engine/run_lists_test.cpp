// Bands of tracks, which the compiled layout keeps in lists: every look-up against the layout
// played node by node, what the lists take, and how far angles are rounded.

#include <algorithm>
#include <cmath>
#include <map>

#include "catch.h"
#include "engine/layout_map.h"
#include "engine/layout_tables.h"
#include "engine/random_bands.h"
#include "engine/spelled_out.h"
#include "model/error.h"

using namespace platter;
using namespace platter::engine;
using model::LayoutNode;
using testing::banded_layout;
using testing::Bands;
using testing::in_rounds;
using testing::listed_map;
using testing::Place;
using testing::play;
using testing::random_bands;
using testing::uniform;

namespace {

using Random = std::mt19937_64;

constexpr double kRounding = 0x1p-30 + 1e-12;  // of a revolution; the rest is the oracle's own

bool is_close(Angle angle, double rev) {
  return std::abs(std::remainder(rev_from_angle(angle) - rev, 1)) <= kRounding;
}

struct Played {
  explicit Played(const model::Layout& layout) {
    for (const LayoutNode& zone : layout.zones) {
      play(zone, 0, 0, 0, places);
      zones.resize(places.size(), static_cast<std::uint32_t>(&zone - layout.zones.data()));
    }
    std::vector<bool> skipped(places.size(), false);
    for (const model::Skip& skip : layout.skips)
      for (std::uint64_t i = 0; i < skip.length; ++i) skipped.at(skip.first_slot + i) = true;
    for (std::uint64_t slot = 0; slot < places.size(); ++slot)
      if (!skipped[slot]) slot_of.push_back(slot);
  }

  std::vector<Place> places;         // by slot
  std::vector<std::uint32_t> zones;  // by slot
  std::vector<std::uint64_t> slot_of;
};

}  // namespace

TEST_CASE("bands in every form: LBN to slot, track, angle and back, as they are played") {
  Random random(71);
  std::size_t lists = 0, of_zones = 0, shared = 0;
  for (int round = 0; round < 150; ++round) {
    const model::Layout layout = banded_layout(random);
    const Played played(layout);
    const LayoutMap map = listed_map(layout);
    const RunsView& runs = map.view().runs;
    lists += runs.lists.size();
    of_zones += map.view().root_zones.empty() ? 0 : 1;
    for (const FlatRunList& list : runs.lists)
      shared += &list != runs.lists.data() && list.first_course == runs.lists[0].first_course;
    INFO("round " << round);
    REQUIRE(map.slots() == played.places.size());
    REQUIRE(map.blocks() == played.slot_of.size());
    REQUIRE(map.view().totals.zones == layout.zones.size());
    bool right = true;
    for (std::uint64_t lbn = 0; lbn < map.blocks(); ++lbn) {
      const std::uint64_t slot = played.slot_of[lbn];
      const Place& place = played.places[slot];
      const Track track = map.track_of_slot(slot);
      right = right && map.slot_of_lbn(lbn) == slot && track.first_slot == place.first_slot &&
              track.sectors == place.sectors && track.cylinder == place.cylinder &&
              track.head == place.head && track.zone == played.zones[slot] &&
              is_close(map.angle_of_slot(track, slot), place.angle_rev) &&
              map.lbn_of_slot(slot) == lbn &&
              map.lbn_of_pbn({track.cylinder, track.head, place.sector}) == lbn;
    }
    REQUIRE(right);
  }
  CHECK(lists > 300);
  CHECK(of_zones > 30);
  CHECK(shared > 30);
}

TEST_CASE("a track of a band is found by its place, with its zone") {
  Random random(72);
  for (int round = 0; round < 60; ++round) {
    const model::Layout layout = banded_layout(random);
    const Played played(layout);
    const LayoutMap map = listed_map(layout);
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> tracks;
    for (std::uint64_t slot = 0; slot < played.places.size(); ++slot) {
      const Place& place = played.places[slot];
      if (place.sector == 0) tracks[{place.cylinder, place.head}] = slot;
    }
    REQUIRE(map.tracks() == tracks.size());
    bool right = true;
    for (std::uint32_t c = 0; c < map.cylinders() + 1; ++c) {
      for (std::uint32_t h = 0; h < map.heads() + 1; ++h) {
        const auto found = map.track_at(c, h);
        const auto expected = tracks.find({c, h});
        right = right && found.has_value() == (expected != tracks.end());
        if (!found || !right) continue;
        const Track same = map.track_of_slot(expected->second);
        right = found->first_slot == same.first_slot && found->sectors == same.sectors &&
                found->angle == same.angle && found->slot_angle == same.slot_angle &&
                found->zone == same.zone;
      }
    }
    REQUIRE(right);
  }
}

TEST_CASE("rounds that repeat share what they have in common; bands of their own take 15 bytes") {
  Random random(73);
  const auto bytes = [](const LayoutArrays& layout) {
    const RunArrays& runs = layout.runs;
    return layout.nodes.size() * (sizeof(FlatNode) + sizeof(FlatExtent)) +
           runs.lists.size() * sizeof(FlatRunList) + runs.courses.size() * sizeof(FlatCourse) +
           runs.sizes.size() * sizeof(FlatSize) + 4 * runs.jumps.size() +
           4 * runs.cylinders.size() + 2 * runs.course_numbers.size() +
           2 * runs.size_numbers.size() + 4 * runs.chunk_slots.size() +
           8 * runs.chunk_angles.size() + 8 * layout.root_slots.size() +
           4 * layout.root_buckets.size() + 4 * layout.root_zones.size();
  };
  Bands of{.heads = 20, .rounds = 2, .surfaces_alternate = true, .most_tracks = 300};
  of.least_tracks = 300;
  model::Layout rounds;
  rounds.zones = in_rounds(random, random_bands(random, of), 300, 600);
  const LayoutArrays shared = compile_layout(rounds);
  CHECK(shared.runs.lists.size() == 300);
  CHECK(shared.runs.jumps.size() == 39);
  CHECK(shared.runs.cylinders.size() == 40);
  CHECK(shared.runs.course_numbers.size() == 40);
  CHECK(bytes(shared) <= 300 * 280);

  of.rounds = 500;
  of.own_angles = true;
  of.least_tracks = 298;
  model::Layout zones;
  zones.zones = random_bands(random, of);
  const LayoutArrays own = compile_layout(zones);
  CHECK(own.totals.zones == 10'000);
  CHECK(bytes(own) <= 10'000 * 15);
  model::Layout one;
  one.zones.resize(1);
  one.zones[0].children = zones.zones;
  CHECK(bytes(compile_layout(one)) <= 10'000 * 15);
}

TEST_CASE("rounding never leads angles of long lists astray") {
  Random random(74);
  for (int round = 0; round < 200; ++round) {
    Bands of{.heads = 16, .rounds = 16, .most_tracks = 9, .own_angles = true};
    of.wedges = uniform(random, 5, 500);
    model::Layout layout;
    layout.zones = random_bands(random, of);
    const LayoutMap map = listed_map(layout);
    REQUIRE(map.view().runs.lists.size() == 1);
    double most = 0;
    std::uint64_t slot = 0;
    for (const LayoutNode& band : layout.zones) {
      // The first track and the last.
      for (const std::uint32_t i : {0u, band.count - 1}) {
        const Angle angle = map.track_of_slot(slot + std::uint64_t{i} * band.sectors).angle;
        const double rev = band.angle_rev + i * band.angle_step_rev;
        most = std::max(most, std::abs(std::remainder(rev_from_angle(angle) - rev, 1)));
      }
      slot += testing::slots_in(band);
    }
    REQUIRE(most <= kRounding);
    REQUIRE(most > 0x1p-40);
  }
}

TEST_CASE("few nodes stay nodes, at the angles that the model has") {
  Random random(76);
  Bands of{.heads = 20, .rounds = 51, .own_angles = true};
  model::Layout layout;
  layout.zones = random_bands(random, of);
  const LayoutArrays few = compile_layout(layout);
  CHECK(few.nodes.size() == 1020);
  CHECK(few.runs.lists.empty());
  CHECK(few.nodes[7].angle == angle_from_rev(layout.zones[7].angle_rev));
  layout.zones.insert(layout.zones.end(), 5, layout.zones.back());
  CHECK(compile_layout(layout).runs.lists.size() > 3);
}

TEST_CASE("what no list can hold stays a node, and what is no layout is refused in lists too") {
  const auto bands = [](std::uint32_t count, std::uint32_t tracks, std::uint32_t sectors) {
    std::vector<LayoutNode> zones(count, testing::track_run(tracks, sectors));
    for (std::uint32_t i = 0; i < count; ++i) {
      zones[i].head = static_cast<std::int32_t>(i);
      zones[i].cylinder_step = 1;
    }
    model::Layout layout;
    layout.zones = zones;
    return layout;
  };
  CHECK(compile_layout(bands(8, 10, 10), 0).runs.lists.empty());
  CHECK(compile_layout(bands(9, 10, 10), 0).runs.lists.size() == 1);
  // Lists hold less than 2^32 slots.
  const model::Layout large = bands(20, 1 << 20, 400);
  const LayoutArrays cut = compile_layout(large, 0);
  CHECK(cut.runs.lists.size() == 2);
  CHECK(listed_map(large).pbn_of_lbn(std::uint64_t{400} * (15 << 20) + 7) == Pbn{0, 15, 7});
  CHECK(compile_layout(bands(12, 1 << 20, 4000), 0).runs.lists.empty());
  const auto refused = [&](const auto& spoil) {
    model::Layout layout = bands(9, 10, 10);
    spoil(layout.zones[5]);
    CHECK_THROWS_AS(compile_layout(layout, 0), Error);
  };
  refused([](LayoutNode& band) { band.count = 0; });
  refused([](LayoutNode& band) { band.sectors = (1 << 20) + 1; });
  refused([](LayoutNode& band) { band.head = -1; });
  refused([](LayoutNode& band) { band.head = 40'000; });
  refused([](LayoutNode& band) { band.cylinder = -1; });
  refused([](LayoutNode& band) { band.cylinder_step = -1; });
  refused([](LayoutNode& band) { band.angle_rev = std::nan(""); });
  refused([](LayoutNode& band) { band.angle_step_rev = INFINITY; });
}

TEST_CASE("pieces of more LBNs than one may have are cut: blocks of the largest drives") {
  LayoutNode tracks;
  tracks.count = 1u << 24;
  tracks.cylinder_step = 1;
  tracks.sectors = 1u << 20;  // 2^44 slots
  model::Layout layout;
  layout.zones = {tracks};
  layout.skips = {{100, 3, 1, 0},
                  {1u << 20, 5, 1000, (1u << 20) + 17},          // steps that are cut between
                  {1ull << 35, 7, 50, (1ull << 33) + 1},         // longer than a piece
                  {1ull << 42, 1, 3'000'000, (1ull << 20) + 1},  // far behind 2^31 slots less
                  {(1ull << 44) - 4, 4, 1, 0}};
  const LayoutMap map = listed_map(layout);
  // What the skips before leave of a slot's number.
  const auto lbn_of = [&](std::uint64_t slot) -> std::optional<std::uint64_t> {
    std::uint64_t skipped = 0;
    for (const model::Skip& skip : layout.skips) {
      if (slot < skip.first_slot) break;
      const std::uint64_t stride = std::max<std::uint64_t>(skip.stride, 1);
      const std::uint64_t run = std::min((slot - skip.first_slot) / stride, skip.count - 1);
      if (slot - skip.first_slot - run * stride < skip.length) return std::nullopt;
      skipped += (run + 1) * skip.length;
    }
    return slot - skipped;
  };
  Random random(75);
  std::vector<std::uint64_t> slots;
  for (const model::Skip& skip : layout.skips)
    for (int i = 0; i < 2000; ++i)
      slots.push_back(skip.first_slot + random() % skip.count * skip.stride + random() % 20 - 10);
  for (int i = 0; i < 100'000; ++i) slots.push_back(random() >> 20);
  for (std::uint64_t at = 0; at < 1ull << 44; at += 1ull << 28)
    for (const std::uint64_t near : {at - 1, at, at + 1}) slots.push_back(near);
  bool right = map.blocks() == *lbn_of((1ull << 44) - 5) + 1;
  for (const std::uint64_t slot : slots) {
    if (slot >= map.slots()) continue;
    const auto lbn = lbn_of(slot);
    right = right && map.lbn_of_slot(slot) == lbn && (!lbn || map.slot_of_lbn(*lbn) == slot);
    if (!lbn || !right) continue;
    const auto run = map.run_at(*lbn);
    right = run.slot == slot && run.end > *lbn && run.end <= map.blocks() &&
            lbn_of(slot + (run.end - 1 - *lbn)) == run.end - 1;
  }
  CHECK(right);
}
