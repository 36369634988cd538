// The semantic verifier by itself: tables whose envelope is sound and whose meaning is not.

#include <algorithm>
#include <cmath>
#include <functional>

#include "../engine/random_layout.h"
#include "../engine/small_drive.h"
#include "catch.h"
#include "engine/layout_tables.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;

namespace {

// A drive's tables, each array of them a copy that can be spoilt.
struct Spoilt {
  explicit Spoilt(const model::DriveModel& model) : tables(model), view(tables.view()) {
    layout = compile_layout(model.layout, 0);  // with lists, however small
    distances.assign(view.seek_distances.begin(), view.seek_distances.end());
    lines.assign(view.seek_lines.begin(), view.seek_lines.end());
    seek_buckets.assign(view.seek_buckets.begin(), view.seek_buckets.end());
  }
  std::optional<std::string> defect() {
    view.layout = layout.view();
    view.seek_distances = distances;
    view.seek_lines = lines;
    view.seek_buckets = seek_buckets;
    return tables_defect(view);
  }
  // The first piece that is a stretch of this kind.
  FlatStretch& regular_stretch() {
    return *std::ranges::find_if(layout.pieces.stretches, [](auto& s) { return s.period != 0; });
  }
  FlatStretch& remapped_stretch() {
    return *std::ranges::find_if(layout.pieces.stretches,
                                 [](auto& s) { return s.shift != s.sequential; });
  }

  Tables tables;
  TablesView view;
  LayoutArrays layout;
  std::vector<std::uint64_t> distances;
  std::vector<FlatSeekLine> lines;
  std::vector<std::uint32_t> seek_buckets;
};

model::DriveModel drive() {
  model::DriveModel model = testing::small_drive();
  model.cache = testing::small_cache();
  model.layout.skips = {{5, 1, 1, 0}, {100, 2, 10, 30}};
  model.layout.remaps = {{30, 5}, {77, 100}};
  return model;
}

// Every head with its own density: tracks that follow no rule, and so are listed.
model::DriveModel drive_with_lists() {
  model::DriveModel model = testing::small_drive();
  for (model::LayoutNode& zone : model.layout.zones) {
    const model::LayoutNode track = zone.children[0];
    zone.children.assign(4, track);
    for (std::int32_t head = 0; head < 4; ++head) {
      model::LayoutNode& one = zone.children[static_cast<std::size_t>(head)];
      one.count = 1;
      one.head = head;
      one.sectors += static_cast<std::uint32_t>(head);
      one.angle_rev = 0.1 * head * head;
    }
  }
  return model;
}

// Two rounds of bands on surface after surface, in zones that differ in the bands' sizes alone;
// then bands that are zones themselves.
model::DriveModel drive_with_runs() {
  constexpr std::int32_t kBands = 12, kTracks = 5;
  model::DriveModel model = testing::small_drive();
  model.layout.zones.clear();
  const auto band = [&](std::int32_t surface, std::uint32_t sectors) {
    model::LayoutNode run = testing::track_run(kTracks, sectors);
    run.head = surface;
    run.cylinder_step = 1;
    run.angle_rev = 0.09 * surface;
    run.angle_step_rev = 0.08;
    return run;
  };
  for (std::int32_t z = 0; z < 2; ++z) {
    model::LayoutNode zone;
    zone.count = 3;
    zone.cylinder = 3 * kTracks * z;
    zone.cylinder_step = kTracks;
    for (std::int32_t b = 0; b < kBands; ++b)
      zone.children.push_back(band(b, static_cast<std::uint32_t>(60 + b % 3 - z)));
    model.layout.zones.push_back(zone);
  }
  for (std::int32_t b = 0; b < kBands; ++b) {
    model.layout.zones.push_back(band(b, 50));
    model.layout.zones.back().cylinder = 6 * kTracks;
  }
  return model;
}

void refused(const std::function<void(Spoilt&)>& spoil, const std::string& sentence,
             const model::DriveModel& model = drive()) {
  Spoilt tables(model);
  REQUIRE(tables.defect() == std::nullopt);
  spoil(tables);
  const auto defect = tables.defect();
  INFO("expected: " << sentence);
  REQUIRE(defect);
  CHECK(*defect == sentence);
}

}  // namespace

TEST_CASE("layouts that cannot be are refused") {
  refused([](Spoilt& t) { t.layout.nodes[2].sectors = 0; },
          "its layout has a node that is neither a track nor a group of tracks");
  refused([](Spoilt& t) { t.layout.nodes[0].first_child = 0; },
          "its layout has children that are not its own");
  refused([](Spoilt& t) { t.layout.nodes[1].first_child = 2; },
          "its layout has children that are not its own");
  refused([](Spoilt& t) { t.layout.nodes[2].first_child = 3; },
          "its layout has a track with children");
  refused([](Spoilt& t) { t.layout.nodes[0].children = 1u << 28; },
          "its layout has children that are not its own");
  refused(
      [](Spoilt& t) {
        t.layout.nodes.push_back(t.layout.nodes.back());
        t.layout.extents.push_back(t.layout.extents.back());
      },
      "its layout has nodes that belong to nothing");
  refused([](Spoilt& t) { t.layout.extents.pop_back(); },
          "its layout has nodes that cover nothing");
  refused([](Spoilt& t) { t.layout.extents[0].count = 0; }, "its layout has a node with count 0");
  refused([](Spoilt& t) { t.layout.nodes[2].sectors = 1u << 21; },
          "its layout has a track with more sectors than any drive");
  refused([](Spoilt& t) { t.layout.nodes[0].head = -1; },
          "its layout has a cylinder or head outside the drive");
  refused(
      [](Spoilt& t) {
        t.layout.nodes[0].cylinder_step = INT32_MIN;
        t.layout.extents[0].count = ~0u;
      },
      "its layout has a cylinder or head outside the drive");
  refused([](Spoilt& t) { t.layout.nodes[0].slots += 1; },
          "its layout has a node that miscounts its children");
  refused([](Spoilt& t) { t.layout.nodes[0].reciprocal += 1; },
          "its layout has a node that miscounts its children");
  refused([](Spoilt& t) { t.layout.extents[0].head_high += 1; },
          "its layout has a node that miscounts its children");
  refused([](Spoilt& t) { t.layout.totals.roots = 0; }, "its layout has no zones");
  refused([](Spoilt& t) { t.layout.totals.roots = 100; },
          "its layout has zones that are not there");
  refused([](Spoilt& t) { t.layout.totals.zones += 1; },
          "its layout has sums that are not its parts'");
  refused(
      [](Spoilt& t) {
        t.layout.root_zones = {0, 1};
      },
      "its layout has sums that are not its parts'");
  refused([](Spoilt& t) { t.layout.nodes[0].children |= kRunsAreZones; },
          "its layout has zones where none can be");
  refused([](Spoilt& t) { t.layout.totals.slots += 1; },
          "its layout has sums that are not its parts'");
  refused([](Spoilt& t) { t.layout.totals.blocks = 0; }, "its layout holds no blocks");
  refused([](Spoilt& t) { t.layout.totals.root_shift = 70; },
          "its layout has sums that are not its parts'");
  refused([](Spoilt& t) { t.layout.root_buckets[1] = 7; },
          "its layout has an index that leads astray");
  refused([](Spoilt& t) { t.layout.root_slots[1] += 1; },
          "its layout has an index that leads astray");
  refused([](Spoilt& t) { t.layout.root_slots.pop_back(); },
          "its layout has an index that leads astray");
  refused(
      [](Spoilt& t) {  // two heads' worth of tracks on every place: sound sums, no drive
        LayoutArrays& layout = t.layout;
        model::Layout source = drive().layout;
        source.zones[0].children[0].head_step = 0;
        source.zones[1].children[0].head_step = 0;
        layout = compile_layout(source);
      },
      "its layout is larger than any drive");
}

TEST_CASE("pieces that cannot be are refused") {
  REQUIRE(Spoilt(drive()).layout.pieces.stretches.size() >= 3);
  refused([](Spoilt& t) { t.layout.pieces.lbns[0] = 1; },
          "its layout has pieces that do not ascend");
  refused([](Spoilt& t) { std::swap(t.layout.pieces.lbns[1], t.layout.pieces.lbns[2]); },
          "its layout has pieces that do not ascend");
  refused([](Spoilt& t) { t.layout.pieces.lbns.back() = 5; },
          "its layout has pieces that do not ascend");
  refused([](Spoilt& t) { t.layout.pieces.shifts.pop_back(); },
          "its layout has pieces without a shift");
  refused([](Spoilt& t) { t.layout.totals.blocks = 6; },
          "its layout has pieces beyond its last block");
  refused([](Spoilt& t) { t.layout.totals.blocks += 1; },
          "its layout has pieces beyond its last block");
  refused(
      [](Spoilt& t) {  // one more behind the last
        const std::uint64_t blocks = ++t.layout.totals.blocks;
        std::fill_n(t.layout.pieces.lbns.end() - 4, 4, static_cast<std::uint32_t>(blocks));
      },
      "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.layout.pieces.lbns.back() += 1; },
          "its layout has pieces that do not ascend");
  refused([](Spoilt& t) { t.layout.pieces.shifts[1] = 0x7fffffff; },
          "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.layout.pieces.shifts[0] = 2; },  // the next ones' slots are taken
          "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.layout.pieces.shifts[1] = kStretch + 77; },
          "its layout has stretches that are not its own");
  refused([](Spoilt& t) { t.layout.pieces.stretches.push_back({}); },
          "its layout has stretches that belong to nothing");
  refused([](Spoilt& t) { t.regular_stretch().reciprocal += 1; },
          "its layout has a stretch whose steps are none");
  refused([](Spoilt& t) { t.regular_stretch().gap = 0; },
          "its layout has a stretch whose steps are none");
  refused([](Spoilt& t) { t.remapped_stretch().gap = 1; },
          "its layout has a stretch whose steps are none");
  refused([](Spoilt& t) { t.regular_stretch().gap = ~0ull; },
          "its layout has a stretch outside the drive");
  refused([](Spoilt& t) { t.regular_stretch().sequential = ~0ull; },
          "its layout has a stretch outside the drive");
  refused([](Spoilt& t) { t.regular_stretch().shift += 1; },
          "its layout has more than one block remapped at once");
  refused([](Spoilt& t) { t.remapped_stretch().shift = 1ull << 40; },
          "its layout has a remapped block outside the drive");
  refused([](Spoilt& t) { std::swap(t.layout.pieces.remaps[0], t.layout.pieces.remaps[1]); },
          "its layout has remapped blocks out of order");
  refused([](Spoilt& t) { t.layout.pieces.remaps[0].lbn = 31; },
          "its layout has remapped blocks out of order");
  refused([](Spoilt& t) { t.layout.pieces.remaps.pop_back(); },
          "its layout has remapped blocks out of order");
  refused([](Spoilt& t) { t.layout.totals.piece_shift += 1; },
          "its layout has an index that leads astray");
  refused([](Spoilt& t) { t.layout.pieces.buckets.pop_back(); },
          "its layout has an index that leads astray");
  refused([](Spoilt& t) { t.layout.pieces.buckets[0] = 1; },
          "its layout has an index that leads astray");
}

TEST_CASE("lists of tracks that cannot be are refused") {
  const auto listed = [](const std::function<void(Spoilt&)>& spoil, const std::string& sentence) {
    refused(spoil, sentence, drive_with_lists());
  };
  listed([](Spoilt& t) { t.layout.nodes[1].first_child = 0; },
         "its layout has tracks that are not its own");
  listed([](Spoilt& t) { t.layout.nodes[1].children += 1; },
         "its layout has tracks that are not its own");
  listed([](Spoilt& t) { t.layout.nodes[1].children = kTrackList; },
         "its layout has tracks that are not its own");
  listed([](Spoilt& t) { t.layout.tracks.push_back(t.layout.tracks[0]); },
         "its layout has tracks that belong to nothing");
  listed([](Spoilt& t) { t.layout.tracks[3].sectors = 0; },
         "its layout has a track without sectors");
  listed([](Spoilt& t) { t.layout.tracks[3].sectors = 1u << 21; },
         "its layout has a track with more sectors than any drive");
  listed([](Spoilt& t) { t.layout.tracks[3].cylinder = INT32_MIN; },
         "its layout has a cylinder or head outside the drive");
  listed([](Spoilt& t) { t.layout.tracks[3].head = -1; },
         "its layout has a cylinder or head outside the drive");
  listed([](Spoilt& t) { t.layout.tracks[3].first_slot += 1; },
         "its layout has a node that miscounts its children");
  listed([](Spoilt& t) { t.layout.tracks[3].reserved = 1; },
         "its layout has a node that miscounts its children");
}

TEST_CASE("lists of runs that cannot be are refused") {
  const auto listed = [](const std::function<void(Spoilt&)>& spoil, const std::string& sentence) {
    refused(spoil, sentence, drive_with_runs());
  };
  const Spoilt sound(drive_with_runs());
  REQUIRE(sound.layout.runs.lists.size() == 3);
  REQUIRE(sound.layout.runs.lists[1].first_course == sound.layout.runs.lists[0].first_course);
  REQUIRE(runs_are_zones(sound.layout.nodes[2]));
  const std::string not_its_own = "its layout has runs that are not its own";
  listed([](Spoilt& t) { t.layout.nodes[0].first_child = 1; }, not_its_own);
  listed([](Spoilt& t) { t.layout.nodes[0].children = kRunList; }, not_its_own);
  listed([](Spoilt& t) { t.layout.nodes[0].children -= 1; }, not_its_own);
  listed([](Spoilt& t) { t.layout.nodes[2].children += 1; }, not_its_own);
  listed([](Spoilt& t) { t.layout.runs.lists[0].first_jump += 1; }, not_its_own);
  listed([](Spoilt& t) { t.layout.runs.lists[1].first_cylinder += 1; }, not_its_own);
  listed([](Spoilt& t) { t.layout.runs.lists[1].first_course = ~0u; }, not_its_own);
  listed([](Spoilt& t) { t.layout.runs.lists[2].first_size += 1; }, not_its_own);
  listed([](Spoilt& t) { t.layout.runs.lists[1].first_chunk = 0; }, not_its_own);
  listed([](Spoilt& t) { t.layout.runs.lists.pop_back(); }, not_its_own);
  const std::string nobodys = "its layout has runs that belong to nothing";
  listed([](Spoilt& t) { t.layout.runs.lists.push_back({}); }, nobodys);
  listed([](Spoilt& t) { t.layout.runs.jumps.push_back(0); }, nobodys);
  listed([](Spoilt& t) { t.layout.runs.cylinders.push_back(0); }, nobodys);
  listed([](Spoilt& t) { t.layout.runs.course_numbers.push_back(0); }, nobodys);
  listed([](Spoilt& t) { t.layout.runs.size_numbers.push_back(0); }, nobodys);
  listed([](Spoilt& t) { t.layout.nodes[2].children -= 1; }, nobodys);
  const std::string no_kind = "its layout has runs of a kind that is not there";
  listed([](Spoilt& t) { t.layout.runs.course_numbers[3] = 0xffff; }, no_kind);
  listed([](Spoilt& t) { t.layout.runs.courses.pop_back(); }, no_kind);
  listed([](Spoilt& t) { t.layout.runs.size_numbers[3] = 0xffff; }, no_kind);
  listed([](Spoilt& t) { t.layout.runs.sizes.pop_back(); }, no_kind);
  listed([](Spoilt& t) { t.layout.runs.courses.push_back(t.layout.runs.courses[0]); },
         "its layout has kinds of runs that belong to nothing");
  listed([](Spoilt& t) { t.layout.runs.courses[0].count = 0; },
         "its layout has a node with count 0");
  listed([](Spoilt& t) { t.layout.runs.courses[0].reserved = 1; },
         "its layout has something where nothing may be");
  listed([](Spoilt& t) { t.layout.runs.courses[0].cylinder_step = INT32_MIN; },
         "its layout has a cylinder or head outside the drive");
  listed([](Spoilt& t) { t.layout.runs.courses[0].head = -1; },
         "its layout has a cylinder or head outside the drive");
  listed([](Spoilt& t) { t.layout.runs.cylinders[1] = INT32_MIN; },
         "its layout has a cylinder or head outside the drive");
  listed([](Spoilt& t) { t.layout.runs.courses[0].count = ~0u; },
         "its layout has a list of runs that is too long");
  listed([](Spoilt& t) { t.layout.runs.sizes[0].sectors = 0; },
         "its layout has a track without sectors");
  listed([](Spoilt& t) { t.layout.runs.sizes[0].sectors = 1u << 21; },
         "its layout has a track with more sectors than any drive");
  listed([](Spoilt& t) { t.layout.runs.sizes[0].reciprocal += 1; },
         "its layout has a size of tracks that turns otherwise");
  listed([](Spoilt& t) { t.layout.runs.sizes[0].reserved = 1; },
         "its layout has a size of tracks that turns otherwise");
  const std::string miscounts = "its layout has a list that miscounts its runs";
  listed([](Spoilt& t) { t.layout.runs.chunk_slots[1] += 1; }, miscounts);
  listed([](Spoilt& t) { t.layout.runs.chunk_slots.pop_back(); }, miscounts);
  listed([](Spoilt& t) { t.layout.runs.chunk_angles[1] += 1; }, miscounts);
  listed([](Spoilt& t) { t.layout.runs.chunk_angles.push_back(0); }, miscounts);
  listed([](Spoilt& t) { t.layout.nodes[1].children |= kTrackList; },
         "its layout has a node with lists of two kinds");
  listed([](Spoilt& t) { t.layout.extents[2].count = 2; },
         "its layout has zones where none can be");
  listed([](Spoilt& t) { t.layout.nodes[2].children &= ~kRunsAreZones; },
         "its layout has sums that are not its parts'");
  listed([](Spoilt& t) { t.layout.root_zones[1] = 7; },
         "its layout has sums that are not its parts'");
}

TEST_CASE("times, sizes and flags that cannot be are refused") {
  refused([](Spoilt& t) { t.view.motion.denominator = 0; }, "its rotation is no drive's");
  refused([](Spoilt& t) { t.view.motion.numerator_ns = 1; }, "its rotation is no drive's");
  refused([](Spoilt& t) { t.view.motion.head_switch_ns = -1; },
          "its head switch or write settle time is none");
  refused([](Spoilt& t) { t.view.motion.seek_shift += 1; },
          "its seek curve has an index that leads astray");
  refused([](Spoilt& t) { t.view.motion.seek_curves = 0; },
          "its seek curve is neither one nor four");
  refused([](Spoilt& t) { t.view.motion.seek_curves = 4; },
          "its seek curve is neither one nor four");
  refused([](Spoilt& t) { std::swap(t.distances[0], t.distances[1]); },
          "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.distances.pop_back(); }, "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.distances[0] = 0; }, "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.lines.resize(1); }, "its seek curve has less than two points");
  refused([](Spoilt& t) { t.lines[1].time_ns = -1; }, "its seek curve has a time that is none");
  refused([](Spoilt& t) { t.lines[0].slope += 1; },
          "its seek curve has a slope that does not lead to its next point");
  refused(
      [](Spoilt& t) {
        t.distances[1] = 2;
        t.lines = {{0, 60 * kSecond << 24}, {60 * kSecond, 60 * kSecond << 24}};
        model::Layout source = drive().layout;  // of more cylinders than 100
        source.zones[1].count += 50;
        t.layout = compile_layout(source);
      },
      "its seek curve is too steep past its end");
  refused([](Spoilt& t) { t.seek_buckets.back() = 0; },
          "its seek curve has an index that leads astray");
  refused([](Spoilt& t) { t.view.overheads.read_hit[1] = INT64_MAX; }, "an overhead is no time");
  refused([](Spoilt& t) { t.view.overheads.minimum_seek_delay = INT64_MIN; },
          "an overhead is no time");
  refused([](Spoilt& t) { t.view.overheads.extra_write_disconnect = 2; },
          "a flag of its overheads is neither 0 nor 1");
  refused([](Spoilt& t) { t.view.bus.read_block_ns = -1; },
          "its bus needs a time for a block that is none");
  refused([](Spoilt& t) { t.view.bus.high_read_watermark = std::nan(""); },
          "its bus has a watermark that is no share");
  refused([](Spoilt& t) { t.view.cache.segments = kMaxSegments + 1; },
          "its cache has more segments than an engine");
  refused([](Spoilt& t) { t.view.cache.segment_blocks = 0; },
          "its cache has no segments to be present");
  refused([](Spoilt& t) { t.view.cache.read_ahead = 5; },
          "its cache has a kind of read-ahead that is none");
  refused([](Spoilt& t) { t.view.cache.stop_in_sector = 2; },
          "a flag of its cache is neither 0 nor 1");
  refused([](Spoilt& t) { t.view.queue.scheduler = 5; }, "its queue has a scheduler that is none");
  refused([](Spoilt& t) { t.view.queue.depth = kMaxOutstanding + 1; },
          "its queue is deeper than an engine's");
  refused([](Spoilt& t) { t.view.queue.preseeking = 3; },
          "its queue has a level of preseeking that is none");
  refused([](Spoilt& t) { t.view.queue.hits_overtake = 2; },
          "a flag of its queue is neither 0 nor 1");
  refused([](Spoilt& t) { t.view.queue.reserved[5] = 1; }, "it has something where nothing may be");
  refused([](Spoilt& t) { t.view.validity.last_lbn = ~0ull; },
          "its validity names a range that is none");
}
