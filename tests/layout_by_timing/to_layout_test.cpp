// Runs as a layout: each block on the track, at the angle, that its run has for it.
#include "layout_by_timing/to_layout.h"

#include <cmath>
#include <random>

#include "catch.h"
#include "engine/layout_map.h"
#include "model/validate.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

// Bands of a drive with so many surfaces, some tracks and sizes of which change, with losses.
std::vector<Run> random_runs(std::mt19937_64& random, std::uint32_t heads, std::uint32_t rounds) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  std::vector<Run> runs;
  std::vector<std::uint32_t> slots(heads, 40), tracks(heads, 12);
  const std::uint32_t spares = pick(0, 3) == 0 ? 2 : 0, tail = pick(0, 3) == 0 ? 5 : 0;
  const bool up_and_down = pick(0, 1) == 0;
  double start = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t place = 0; place < heads; ++place) {
      const std::uint32_t head = up_and_down && round % 2 == 1 ? heads - 1 - place : place;
      if (pick(0, 30) == 0) slots[head] = static_cast<std::uint32_t>(pick(30, 50));
      if (pick(0, 30) == 0) tracks[head] = static_cast<std::uint32_t>(pick(1, 15));
      Run run;
      run.first = runs.empty() ? 0 : runs.back().end();
      run.tracks = tracks[head], run.slots = slots[head], run.spares = spares, run.tail = tail;
      run.skew_rev = 0.1, run.start_rev = statistics::turn_rev(start);
      start += 0.1 * (run.tracks - 1) + 0.3;
      run.ring_place = static_cast<std::int32_t>(place);
      const std::uint64_t all = std::uint64_t{run.tracks} * run.slots - tail;
      std::uint64_t behind = 0;
      for (std::uint64_t losses = pick(0, 6) == 0 ? pick(1, 3) : 0; losses > 0; --losses) {
        const auto sectors = static_cast<std::uint32_t>(pick(1, pick(0, 1) == 0 ? 3 : run.slots));
        behind += pick(0, 40);
        if (behind + run.lost() + sectors > all) break;
        run.losses.push_back({behind, sectors, true});
      }
      if (run.blocks() == 0) run.losses.clear();
      if (run.blocks() > 0) runs.push_back(run);
    }
  }
  return runs;
}

void check_same(const std::vector<Run>& runs, const DriveBlocks& blocks, const Surfaces& surfaces) {
  const model::Layout layout = to_layout(runs, blocks, surfaces);
  const engine::LayoutMap map(layout);
  REQUIRE(map.blocks() >= blocks.logical);
  for (const Run& run : runs) {
    for (std::uint64_t block = run.first; block < run.end(); ++block) {
      const std::uint64_t lbn = blocks.first_lbn + block * blocks.unit + blocks.unit - 1;
      if (lbn >= blocks.logical) return;
      const std::uint64_t slot = map.slot_of_lbn(lbn);
      const engine::Track track = map.track_of_slot(slot);
      INFO("block " << block << " of a run from " << run.first << " with " << run.tracks
                    << " tracks");
      REQUIRE(track.sectors == run.around() * blocks.unit);
      const double end = engine::rev_from_angle(map.angle_of_slot(track, slot)) +
                         1.0 / track.sectors;
      REQUIRE(std::abs(statistics::wrap_rev(end - run.end_of_block_rev(block))) < 1e-4);
      REQUIRE(slot - track.first_slot ==
              run.place_of(block).sector * blocks.unit + blocks.unit - 1);
    }
  }
}

}  // namespace

TEST_CASE("a layout has each block where its run has it") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto heads = static_cast<std::uint32_t>(1 + seed % 5);
    const std::vector<Run> runs = random_runs(random, heads, 12);
    const std::uint32_t unit = seed % 3 == 0 ? 8 : 1;
    const std::uint64_t front = seed % 4 == 0 && unit == 8 ? 3 : 0;
    INFO("seed " << seed);
    const DriveBlocks blocks{front + (runs.back().end() - seed % 7) * unit, unit, front};
    check_same(runs, blocks, {.heads = heads, .order = {heads}});
    check_same(runs, blocks, {.heads = heads, .cylinders = true, .order = {heads}});  // most go on
                                                                                      // over
                                                                                      // several
                                                                                      // cylinders
  }
}

TEST_CASE("rounds that go up and down over the surfaces are one node") {
  const std::vector<std::uint32_t> slots{40, 42, 39, 41};
  std::vector<Run> runs;
  double start = 0;
  for (std::size_t i = 0; i < 4 * 101; ++i) {  // the last round is half of what comes again
    Run run;
    run.first = runs.empty() ? 0 : runs.back().end();
    run.tracks = 3, run.slots = slots[i / 4 % 2 == 0 ? i % 4 : 3 - i % 4], run.skew_rev = 0.1;
    run.start_rev = statistics::turn_rev(start);
    start += 0.1 * 2 + 0.3;
    runs.push_back(run);
  }
  check_same(runs, {runs.back().end(), 1, 0}, {.heads = 4, .order = {4}});
  const model::Layout layout = to_layout(runs, {runs.back().end(), 1, 0},
                                         {.heads = 4, .order = {4}});
  REQUIRE(layout.zones.size() == 2);
  CHECK(layout.zones[0].count == 50);
  CHECK(layout.zones[0].children.size() == 8);
  CHECK(model::count_nodes(layout) == 9 + 5);
}

TEST_CASE("a loss that reaches over its run's end moves no other run") {
  Run run, next;
  run.tracks = 6, run.slots = 100, run.tail = 5, run.skew_rev = next.skew_rev = 0.1;
  run.losses = {{500, 90, false}};  // there are 505 blocks
  next.first = run.end(), next.tracks = 4, next.slots = 100, next.start_rev = 0.7;
  const std::vector<Run> runs{run, next};
  const engine::LayoutMap map(to_layout(runs, {next.end(), 1, 0}, {}));
  CHECK(map.slot_of_lbn(next.first) == 600);
  CHECK(map.slot_of_lbn(next.first - 1) < 595);
}

TEST_CASE("what is between runs, and behind the last, is guessed") {
  Run run, far;
  run.tracks = 3, run.slots = 100, run.skew_rev = 0.1;
  far.first = 1050, far.tracks = 2, far.slots = 90, far.start_rev = 0.3;
  const std::vector<Run> runs = without_gaps(std::vector<Run>{run, far}, 1500);
  REQUIRE(runs.size() == 4);
  CHECK(runs[1].standing == Standing::guessed);
  CHECK(runs[1].end() == 1050);
  CHECK(runs[3].standing == Standing::guessed);
  CHECK(runs.back().end() == 1500);
  check_same(runs, {1500, 1, 0}, {});
  const std::vector<Run> shorter = without_gaps(runs, 1177);
  CHECK(shorter.back().end() == 1177);
  CHECK(engine::LayoutMap(to_layout(shorter, {1177, 1, 0}, {})).blocks() == 1177);
}

TEST_CASE("cylinders, head first, are runs whose tracks are on one surface each") {
  std::vector<Run> runs;
  double start = 0;
  for (int i = 0; i < 20; ++i) {
    Run run;
    run.first = runs.empty() ? 0 : runs.back().end();
    run.tracks = 6, run.slots = 100, run.tail = 12, run.skew_rev = 0.2,
    run.start_rev = statistics::turn_rev(start);
    run.ring_place = 0;
    start += 0.2 * 5 + 0.35;
    runs.push_back(run);
  }
  const Surfaces surfaces = surfaces_of(runs, std::vector<std::uint32_t>{100});
  CHECK(surfaces.cylinders);
  CHECK(surfaces.heads == 6);
  check_same(runs, {runs.back().end(), 1, 0}, surfaces);
  const engine::LayoutMap map(to_layout(runs, {runs.back().end(), 1, 0}, surfaces));
  CHECK(map.heads() == 6);
  CHECK(map.cylinders() == 20);
}

TEST_CASE("what goes on longer than a cylinder is laid out as several") {
  Run cylinder, longer;
  cylinder.tracks = 4, cylinder.slots = longer.slots = 100;
  cylinder.skew_rev = longer.skew_rev = 0.1;
  longer.first = cylinder.end(), longer.tracks = 5001, longer.start_rev = 0.7;
  const std::vector<Run> runs{cylinder, longer};
  const model::Layout layout = to_layout(runs, {longer.end(), 1, 0},
                                         {.heads = 4, .cylinders = true, .order = {4}});
  const engine::LayoutMap map(layout);
  CHECK(map.heads() == 4);
  CHECK(map.cylinders() == 1 + 1251);
  CHECK(model::count_nodes(layout) == 6);
}

TEST_CASE("a pattern that goes up and down over the surfaces has half as many of them as places") {
  const std::vector<std::uint32_t> up_and_down{300, 310, 290, 305, 305, 290, 310, 300};
  const std::vector<std::uint32_t> always_up{300, 310, 290, 305};
  std::vector<std::uint32_t> from_elsewhere{290, 305, 305, 290, 310, 300, 300, 310};
  CHECK(surfaces_of({}, up_and_down).heads == 4);
  CHECK(surfaces_of({}, from_elsewhere).heads == 4);
  CHECK(surfaces_of({}, always_up).heads == 4);
  CHECK(surfaces_of({}, std::vector<std::uint32_t>{}).heads == 1);
  std::vector<std::uint32_t> of_twenty;
  for (std::uint32_t i = 0; i < 20; ++i) of_twenty.push_back(300 + i * 7 % 20);
  of_twenty.insert(of_twenty.end(), of_twenty.rbegin(), of_twenty.rend());
  of_twenty.insert(of_twenty.begin() + 5, 280);  // a track that is begun anew is a place
  CHECK(surfaces_of({}, of_twenty).heads == 20);
  CHECK(surfaces_of({}, std::vector<std::uint32_t>(1500, 300)).heads == 1);  // no drive has so many
}

}  // namespace platter::layout_by_timing
