// What reads within single tracks tell of a layout: nothing wrong where it is right, spares that no
// LBN tells of, and zones whose tracks are none.
#include "mtbrc/passing_sectors.h"

#include "catch.h"
#include "engine/layout_map.h"
#include "engine/plain_zones.h"
#include "mtbrc/rotation.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

using engine::testing::PlainZone;

// With spares that the layout knows, or without what it does not know of.
model::Layout plain_layout(std::vector<PlainZone> zones, bool spares_known) {
  if (!spares_known)
    for (PlainZone& of : zones) of.sectors -= of.spares;
  model::Layout layout = engine::testing::plain_zones(zones);
  if (!spares_known) return layout;
  std::uint64_t slot = 0;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const auto& [cylinders, sectors, spares] = zones[i];
    layout.zones[i].angle_rev = 0.37 * layout.zones[i].cylinder;
    layout.zones[i].angle_step_rev = 0.23;
    if (spares > 0) layout.skips.push_back({slot + sectors - spares, spares, cylinders, sectors});
    slot += std::uint64_t{sectors} * cylinders;
  }
  return layout;
}

struct PassingBench {
  explicit PassingBench(const std::string& name)
      : PassingBench(virtual_drive::open_virtual(name)) {}
  PassingBench(const std::vector<PlainZone>& zones, std::uint64_t seed)
      : PassingBench([&] {
          model::DriveModel model = virtual_drive::virtual_model(
              "virtual:quantum-atlas10k?imperfections=default&seed=" + std::to_string(seed));
          model.layout = plain_layout(zones, true);
          const engine::LayoutMap map(model.layout);
          model.identity.blocks = map.blocks();
          model.identity.heads = 1;
          model.identity.cylinders = map.cylinders();
          return std::make_unique<virtual_drive::VirtualDevice>(model, "a plain drive");
        }()) {}
  explicit PassingBench(std::unique_ptr<virtual_drive::VirtualDevice> opened)
      : device(std::move(opened)),
        guard(*device, {}),
        drive(guard, "the drive"),
        context(drive, 5) {
    drive.identify();
    drive.settings().set_cache(false, true, true);
    context.rotation = device->truth().rotation;
  }
  std::unique_ptr<virtual_drive::VirtualDevice> device;
  scsi::Guard guard;
  scsi::Drive drive;
  Context context;
};

}  // namespace

TEST_CASE("track pitch: nothing is found where the layout is right") {
  const std::string name = GENERATE("quantum-atlas10k", "seagate-cheetah9lp",
                                    "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247");
  for (int seed = 1; seed <= 3; ++seed) {
    PassingBench bench("virtual:" + name + "?imperfections=default&seed=" + std::to_string(seed));
    const PassingSectors found = measure_passing_sectors(bench.context,
                                                         bench.device->truth().layout);
    for (const ZonePassing& zone : found.zones) {
      INFO(name << ", seed " << seed << ": " << zone.sectors << " sectors, found "
                << (zone.passing ? zone.passing->value : 0) << ", contradicting "
                << zone.contradicting << ", disturbed " << zone.disturbed);
      CHECK_FALSE(zone.untrue);
      CHECK_FALSE(zone.uneven);
      CHECK(zone.hidden == 0);
      CHECK(zone.contradicting < 0.1);
      CHECK(zone.disturbed < 0.1);
      REQUIRE(zone.passing);
      CHECK(std::abs(zone.passing->value - zone.sectors) < 5 * zone.passing->error);
    }
  }
}

TEST_CASE("track pitch: spares at the end of every track are counted, zone by zone") {
  const std::vector<PlainZone> zones{{900, 300, 1}, {900, 280, 0}, {900, 260, 6}, {900, 20, 5}};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    PassingBench bench(zones, seed);
    const PassingSectors found = measure_passing_sectors(bench.context, plain_layout(zones, false));
    REQUIRE(found.zones.size() == zones.size());
    for (std::size_t i = 0; i < zones.size(); ++i) {
      INFO("zone " << i << ", seed " << seed << ", found "
                   << (found.zones[i].passing ? found.zones[i].passing->value : 0) << " +- "
                   << (found.zones[i].passing ? found.zones[i].passing->error : 0));
      CHECK_FALSE(found.zones[i].untrue);
      CHECK(found.zones[i].hidden == zones[i].spares);
    }
  }
}

TEST_CASE("track pitch: a zone whose tracks are none is found, the others are left alone") {
  const std::vector<PlainZone> zones{{900, 300, 0}, {900, 280, 0}, {1200, 250, 0}};
  for (const std::uint32_t wrong : {125U, 200U, 240U, 249U, 251U, 260U, 300U}) {
    PassingBench bench(zones, wrong);
    std::vector<PlainZone> told = zones;
    told.back() = {1200 * 250 / wrong, wrong, 0};
    const PassingSectors found = measure_passing_sectors(bench.context, plain_layout(told, false));
    INFO(wrong << " sectors: contradicting " << found.zones.back().contradicting);
    // Half tracks are tracks, too, if of another length.
    CHECK((wrong == 125 ? found.zones.back().uneven : found.zones.back().untrue));
    CHECK_FALSE(found.zones[0].untrue);
    CHECK_FALSE(found.zones[1].untrue);
  }
}

TEST_CASE("track pitch: sectors slipped behind the map's back are no untruth") {
  // A slip that the map does not know moves what lies behind it on the track by a sector.
  const std::vector<PlainZone> zones{{900, 45, 0}, {1, 40, 0}, {300, 36, 0}};
  PassingBench bench([&] {
    model::DriveModel model =
        virtual_drive::virtual_model("virtual:quantum-atlas10k?imperfections=default&seed=9");
    model.layout = plain_layout(zones, true);
    model.layout.skips = {{10, 1, 900, 45}, {900 * 45 + 20, 1, 1, 0}};
    model.identity.blocks = engine::LayoutMap(model.layout).blocks();
    model.identity.heads = 1;
    model.identity.cylinders = 1201;
    return std::make_unique<virtual_drive::VirtualDevice>(model, "a drive with slips");
  }());
  std::vector<PlainZone> told = zones;
  told[0].sectors = 44;  // the slip taken for a spare
  told[1].sectors = 39;
  const PassingSectors found = measure_passing_sectors(bench.context, plain_layout(told, false));
  for (const ZonePassing& zone : found.zones) CHECK_FALSE(zone.untrue);
}

TEST_CASE("track pitch: tracks of other lengths than the map has are no untruth") {
  // Every other cylinder is denser; the map has all alike, as long as the longer ones.
  PassingBench bench([&] {
    model::DriveModel model =
        virtual_drive::virtual_model("virtual:quantum-atlas10k?imperfections=default&seed=4");
    model::LayoutNode pair, dense, wide;
    dense.sectors = 300;
    wide.sectors = 250;
    wide.cylinder = 1;
    wide.angle_rev = 0.21;
    pair.count = 400;
    pair.cylinder_step = 2;
    pair.angle_step_rev = 0.47;
    pair.children = {dense, wide};
    model.layout = {};
    model.layout.zones = {pair};
    model.identity.blocks = 400 * 550;
    model.identity.heads = 1;
    model.identity.cylinders = 800;
    return std::make_unique<virtual_drive::VirtualDevice>(model, "a drive of two densities");
  }());
  model::Layout told = plain_layout({{800, 300, 0}}, false);
  told.skips = {{550, 50, 400, 600}};
  const PassingSectors found = measure_passing_sectors(bench.context, told);
  CHECK_FALSE(found.zones[0].untrue);
  CHECK(found.zones[0].uneven);
  CHECK(found.zones[0].hidden == 0);
}

TEST_CASE("track pitch: where nothing comes twice from the same place, nothing is said") {
  // Reads that a buffer answers come at any time.
  PassingBench bench("virtual:quantum-atlas10k?imperfections=default&seed=2");
  bench.drive.settings().set_cache(false, false, false);
  const PassingSectors found = measure_passing_sectors(bench.context, bench.device->truth().layout);
  for (const ZonePassing& zone : found.zones) {
    CHECK_FALSE(zone.untrue);
    CHECK(zone.hidden == 0);
  }
}
