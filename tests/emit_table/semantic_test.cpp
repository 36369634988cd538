// The semantic verifier by itself: tables whose envelope is sound and whose meaning is not.

#include <catch2/catch.hpp>
#include <functional>

#include "../engine/small_drive.h"
#include "engine/layout_tables.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;

namespace {

// A drive's tables, each array of them a copy that can be spoilt.
struct Spoilt {
  explicit Spoilt(const model::DriveModel& model) : tables(model), view(tables.view()) {
    layout = compile_layout(model.layout);
    seeks.assign(view.seeks.begin(), view.seeks.end());
  }
  std::optional<std::string> defect() {
    view.layout = layout.view();
    view.seeks = seeks;
    return tables_defect(view);
  }

  Tables tables;
  TablesView view;
  LayoutArrays layout;
  std::vector<FlatSeekPoint> seeks;
};

model::DriveModel drive() {
  model::DriveModel model = testing::small_drive();
  model.cache = testing::small_cache();
  model.layout.skips = {{5, 1, 1, 0}, {100, 2, 10, 30}};
  model.layout.remaps = {{30, 5}, {77, 100}};
  return model;
}

void refused(const std::function<void(Spoilt&)>& spoil, const std::string& sentence) {
  Spoilt tables(drive());
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
  refused([](Spoilt& t) { t.layout.nodes[0].children = 1u << 30; },
          "its layout has children that are not its own");
  refused([](Spoilt& t) { t.layout.nodes.push_back(t.layout.nodes.back()); },
          "its layout has nodes that belong to nothing");
  refused([](Spoilt& t) { t.layout.nodes[0].count = 0; }, "its layout has a node with count 0");
  refused([](Spoilt& t) { t.layout.nodes[2].sectors = 1u << 21; },
          "its layout has a track with more sectors than any drive");
  refused([](Spoilt& t) { t.layout.nodes[0].head = -1; },
          "its layout has a cylinder or head outside the drive");
  refused([](Spoilt& t) { t.layout.nodes[0].cylinder_step = INT32_MIN; t.layout.nodes[0].count = ~0u; },
          "its layout has a cylinder or head outside the drive");
  refused([](Spoilt& t) { t.layout.nodes[0].slots += 1; },
          "its layout has a node that miscounts its children");
  refused([](Spoilt& t) { t.layout.nodes[0].reciprocal += 1; },
          "its layout has a node that miscounts its children");
  refused([](Spoilt& t) { t.layout.totals.zones = 0; }, "its layout has no zones");
  refused([](Spoilt& t) { t.layout.totals.zones = 100; }, "its layout has zones that are not there");
  refused([](Spoilt& t) { t.layout.totals.blocks += 1; }, "its layout has sums that are not its parts'");
  refused([](Spoilt& t) { t.layout.totals.zone_shift = 70; },
          "its layout has sums that are not its parts'");
  refused([](Spoilt& t) { std::swap(t.layout.skips[0], t.layout.skips[1]); },
          "its layout has skips that are not in order or overlap");
  refused([](Spoilt& t) { t.layout.skips[1].count = ~0ull; },
          "its layout has a skip beyond its last sector");
  refused([](Spoilt& t) { t.layout.skips[1].skipped_before = 0; },
          "its layout has a skip that miscounts those before it");
  refused([](Spoilt& t) { std::swap(t.layout.remaps_by_lbn[0], t.layout.remaps_by_lbn[1]); },
          "its layout has remapped blocks out of order");
  refused([](Spoilt& t) { t.layout.remaps_by_slot[0].lbn = 31; },
          "its layout has remapped blocks out of order");
  refused([](Spoilt& t) { t.layout.remaps_by_lbn[0].slot = ~0ull; },
          "its layout has a remapped block outside the drive");
  refused([](Spoilt& t) { t.layout.zone_index[1] = 7; }, "its layout has an index that leads astray");
  refused([](Spoilt& t) { t.layout.skip_lbn_index.pop_back(); },
          "its layout has an index that leads astray");
  refused([](Spoilt& t) { t.layout.skip_slot_index[0] = 1; },
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

TEST_CASE("times, sizes and flags that cannot be are refused") {
  refused([](Spoilt& t) { t.view.motion.denominator = 0; }, "its rotation is no drive's");
  refused([](Spoilt& t) { t.view.motion.numerator_ns = 1; }, "its rotation is no drive's");
  refused([](Spoilt& t) { t.view.motion.head_switch_ns = -1; },
          "its head switch or write settle time is none");
  refused([](Spoilt& t) { t.view.motion.seek_shift += 1; },
          "its seek curve has an index that leads astray");
  refused([](Spoilt& t) { std::swap(t.seeks[0], t.seeks[1]); },
          "its seek curve does not ascend by distance");
  refused([](Spoilt& t) { t.seeks.resize(1); }, "its seek curve has less than two points");
  refused([](Spoilt& t) { t.seeks[1].time_ns = -1; }, "its seek curve has a time that is none");
  refused([](Spoilt& t) { t.seeks = {{1, 0}, {2, 60 * kSecond}, {1ll << 32, 0}}; },
          "its seek curve is too steep");
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
  refused([](Spoilt& t) { t.view.validity.last_lbn = ~0ull; },
          "its validity names a range that is none");
}
