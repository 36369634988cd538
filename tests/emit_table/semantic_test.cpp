// What a table says is judged by itself: envelopes that are sound, and a meaning that is not.

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "../engine/random_layout.h"
#include "../engine/small_drive.h"
#include "catch.h"
#include "engine/layout_tables.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;

namespace {

// What a table says of a drive, to be spoilt.
struct Spoilt {
  explicit Spoilt(const model::DriveModel& model) {
    const Tables tables(model);
    take(model.layout);
    seek = tables.seeks.points();
    sections = tables.sections();
  }
  void take(const model::Layout& source) {
    layout = compile_layout(source, 0);  // with lists, however small
    blocks = piece_blocks(layout.view());
  }
  std::optional<std::string> defect() const {
    const auto tables = tables_of({layout, blocks, seek, sections});
    return tables ? std::nullopt : std::optional(tables.error());
  }
  // The first piece that is a stretch of this kind.
  FlatStretch& regular_stretch() {
    return *std::ranges::find_if(layout.pieces.stretches, [](auto& s) { return s.period != 0; });
  }
  FlatStretch& remapped_stretch() {
    return *std::ranges::find_if(layout.pieces.stretches,
                                 [](auto& s) { return s.shift != s.sequential; });
  }

  LayoutArrays layout;
  std::vector<std::uint32_t> blocks;  // of each piece
  SeekPoints seek;
  TableSections sections;
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
  refused([](Spoilt& t) { t.layout.totals.roots = 0; }, "its layout has no zones");
  refused([](Spoilt& t) { t.layout.totals.roots = 100; },
          "its layout has zones that are not there");
  refused(
      [](Spoilt& t) {  // two heads' worth of tracks on every place: sound sums
        model::Layout source = drive().layout;
        source.zones[0].children[0].head_step = 0;
        source.zones[1].children[0].head_step = 0;
        t.take(source);
      },
      "two tracks of its layout lie at one place");
}

TEST_CASE("pieces that cannot be are refused") {
  REQUIRE(Spoilt(drive()).layout.pieces.stretches.size() >= 3);
  refused([](Spoilt& t) { t.layout.pieces.shifts.pop_back(); },
          "its layout has pieces without a shift");
  refused(
      [](Spoilt& t) {
        t.layout.pieces.shifts.clear();
        t.blocks.clear();
      },
      "its layout holds no blocks");
  for (const std::uint32_t length : {0u, (1u << 28) + 1})
    refused([=](Spoilt& t) { t.blocks[0] = length; },
            "its layout has a piece of a length that is none");
  refused([](Spoilt& t) { t.blocks.back() += 1u << 20; },
          "its layout has more blocks than sectors");
  refused([](Spoilt& t) { t.blocks.back() += 1; },
          "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.blocks[0] += 1; },  // all the others come later
          "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.layout.pieces.shifts[1] = 0x7fffffff; },
          "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.layout.pieces.shifts[0] = 2; },  // the next ones' slots are taken
          "its layout has pieces that overlap or lie outside the drive");
  refused([](Spoilt& t) { t.layout.pieces.shifts[1] = kStretch + 77; },
          "its layout has stretches that are not its own");
  refused([](Spoilt& t) { t.layout.pieces.stretches.push_back({}); },
          "its layout has stretches that belong to nothing");
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
}

TEST_CASE("two blocks cannot be remapped to one sector") {
  refused(
      [](Spoilt& t) {
        auto& stretches = t.layout.pieces.stretches;
        const auto& [a, b] = std::pair(t.layout.pieces.remaps[0], t.layout.pieces.remaps[1]);
        for (FlatStretch& s : stretches)
          if (s.shift != s.sequential && s.shift + b.lbn == b.slot) s.shift = a.slot - b.lbn;
      },
      "its layout has two blocks remapped to one sector");
}

// A short file that says very much: lists that share their items.
TEST_CASE("more runs than any drive has are refused before there is room for them") {
  constexpr std::uint32_t kRuns = 1u << 16, kLists = 1u << 9;
  Spoilt t(drive());
  LayoutArrays layout;
  layout.totals.roots = kLists;
  layout.runs.courses = {{0, 1, 0, 0, 0}};
  layout.runs.sizes = {{0, 1}};
  layout.runs.jumps.assign(kRuns - 1, 0);
  layout.runs.cylinders.assign(kRuns, 0);
  layout.runs.course_numbers.assign(kRuns, 0);
  layout.runs.size_numbers.assign(kRuns, 0);
  for (std::uint32_t list = 0; list < kLists; ++list) {
    FlatNode node{};
    node.first_child = list;
    node.children = kRunList | kRuns;
    layout.nodes.push_back(node);
    layout.extents.push_back({0, 0, 0, 0, 1});
    layout.runs.lists.push_back({0, 0, 0, 0, 0});
  }
  t.layout = layout;
  CHECK(t.defect() == "its layout has more runs than any drive");
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
  listed([](Spoilt& t) { t.layout.nodes[1].children |= kTrackList; },
         "its layout has a node with lists of two kinds");
  listed([](Spoilt& t) { t.layout.extents[2].count = 2; },
         "its layout has zones where none can be");
}

TEST_CASE("times, sizes and flags that cannot be are refused") {
  refused([](Spoilt& t) { t.sections.motion.denominator = 0; }, "its rotation is no drive's");
  refused([](Spoilt& t) { t.sections.motion.numerator_ns = 1; }, "its rotation is no drive's");
  refused([](Spoilt& t) { t.sections.motion.head_switch_ns = -1; },
          "its head switch or write settle time is none");
  refused([](Spoilt& t) { t.seek.curves = 0; }, "its seek curve is neither one nor four");
  refused([](Spoilt& t) { t.seek.curves = 2; }, "its seek curve is neither one nor four");
  refused([](Spoilt& t) { std::swap(t.seek.cylinders[0], t.seek.cylinders[1]); },
          "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.seek.curves = 4; }, "its seek curve has times without distances");
  refused([](Spoilt& t) { t.seek.times_ns.pop_back(); },
          "its seek curve has times without distances");
  refused([](Spoilt& t) { t.seek.cylinders[0] = 0; }, "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.seek.cylinders.back() = (1ull << 32) + 1; },
          "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.seek.cylinders.resize(1); }, "its seek curve has less than two points");
  refused([](Spoilt& t) { t.seek.times_ns[1] = -1; }, "its seek curve has a time that is none");
  refused([](Spoilt& t) { t.seek.times_ns[1] = 60 * kSecond + 1; },
          "its seek curve has a time that is none");
  refused(
      [](Spoilt& t) {
        t.seek.cylinders[1] = 2;
        t.seek.times_ns = {0, 60 * kSecond};
        model::Layout source = drive().layout;  // of more cylinders than 100
        source.zones[1].count += 50;
        t.take(source);
      },
      "its seek curve is too steep past its end");
  refused([](Spoilt& t) { t.sections.overheads.read_hit[1] = INT64_MAX; },
          "an overhead is no time");
  refused([](Spoilt& t) { t.sections.overheads.minimum_seek_delay = INT64_MIN; },
          "an overhead is no time");
  refused([](Spoilt& t) { t.sections.overheads.extra_write_disconnect = 2; },
          "a flag of its overheads is neither 0 nor 1");
  refused([](Spoilt& t) { t.sections.bus.read_block_ns = -1; },
          "its bus needs a time for a block that is none");
  refused([](Spoilt& t) { t.sections.bus.high_read_watermark = std::nan(""); },
          "its bus has a watermark that is no share");
  refused([](Spoilt& t) { t.sections.cache.segments = kMaxSegments + 1; },
          "its cache has more segments than an engine");
  refused([](Spoilt& t) { t.sections.cache.segment_blocks = 0; },
          "its cache has no segments to be present");
  refused([](Spoilt& t) { t.sections.cache.read_ahead = 5; },
          "its cache has a kind of read-ahead that is none");
  refused([](Spoilt& t) { t.sections.cache.stop_in_sector = 2; },
          "a flag of its cache is neither 0 nor 1");
  refused([](Spoilt& t) { t.sections.queue.scheduler = 5; },
          "its queue has a scheduler that is none");
  refused([](Spoilt& t) { t.sections.queue.depth = kMaxOutstanding + 1; },
          "its queue is deeper than an engine's");
  refused([](Spoilt& t) { t.sections.queue.preseeking = 3; },
          "its queue has a level of preseeking that is none");
  refused([](Spoilt& t) { t.sections.queue.hits_overtake = 2; },
          "a flag of its queue is neither 0 nor 1");
  refused([](Spoilt& t) { t.sections.validity.last_lbn = ~0ull; },
          "its validity names a range that is none");
}
