// Cleaning and bands of a shingled drive are told where the map's angles are off, too.
#include "mtbrc/shingles.h"

#include <cmath>

#include "catch.h"
#include "engine/layout_map.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::mtbrc;

TEST_CASE("cleaning and bands are told where the map is off by nearly what tells home from away") {
  constexpr double kMib_blocks = 2048, kOff_rev = 0.0115;
  for (const std::uint64_t seed : {3, 4, 5, 6}) {
    INFO("seed " << seed);
    model::DriveModel truth = virtual_drive::virtual_model("virtual:quantum-atlas10k");
    truth.imperfections = virtual_drive::default_imperfections(seed);
    model::Shingling& shingling = truth.shingling.emplace();
    shingling.kind = "drive-managed";
    shingling.band_blocks.value = 15 * kMib_blocks;
    shingling.media_cache_blocks.value = 60 * kMib_blocks;
    shingling.map_entries.value = 1500;
    shingling.cleans_when_idle.value = 1;
    shingling.idle_threshold.value = 800;
    shingling.band_cleaning.value = 650;
    virtual_drive::VirtualDevice device(truth, "a shingled drive");
    scsi::Guard guard(device, {});
    scsi::Drive drive(guard, "the drive");
    drive.identify();
    drive.settings().set_cache(false, true, true);
    const std::vector<LbnRange> all{{0, drive.blocks() - 1}};
    drive.permit_writes(all);
    Context context(drive, seed);
    context.rotation = truth.rotation;
    estimate::Sample reference;
    reference.experiment = estimate::Experiment::anchor;
    reference.lbn = drive.blocks() / 2;
    context.samples.push_back(reference);
    model::DriveModel model = truth;
    const engine::LayoutMap true_map(truth.layout);
    const double angle_rev = engine::rev_from_angle(true_map.angle_of_lbn(reference.lbn));
    for (model::LayoutNode& zone : model.layout.zones) zone.angle_rev -= angle_rev - kOff_rev;
    const engine::LayoutMap map(model.layout);
    context.map = &map;
    Shingles shingles(context, all, {});
    const IdleCleaning cleaning = shingles.idle_cleaning();
    REQUIRE(cleaning.seen);
    CHECK(std::abs(cleaning.one_band.value / 1450e6 - 1) < 0.03);
    CHECK(std::abs(cleaning.of_band.value / 650e6 - 1) < 0.05);
    CHECK(std::abs(shingles.band_blocks(cleaning).value / (15 * kMib_blocks) - 1) < 0.02);
  }
}
