// When a drive begins to send what it reads, on virtual drives with default imperfections whose
// watermark and bus are set to any value.
#include <catch2/catch.hpp>

#include "mtbrc/watermark.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/open.h"
#include "virtual_drive/target.h"

using namespace platter;
using namespace platter::mtbrc;

namespace {

model::Parameter number(double value) {
  model::Parameter parameter;
  parameter.value = value;
  return parameter;
}

model::Parameter measured(double watermark, double block_ms, std::uint64_t seed) {
  model::DriveModel drive =
      virtual_drive::virtual_model("virtual:hp-c2247?seed=" + std::to_string(seed));
  drive.bus.high_read_watermark = number(watermark);
  drive.bus.block_transfer = number(block_ms);
  virtual_drive::VirtualDevice device(drive, "a drive");
  scsi::Guard guard(device, {});
  scsi::Drive scsi(guard, "a drive");
  scsi.identify();
  scsi.set_cache(false, true, true);
  Context context(scsi, seed);
  context.rotation = drive.rotation;
  const engine::LayoutMap map(drive.layout);
  context.map = &map;
  measure_watermark(context);
  return estimate_watermark(context.samples, map, drive.rotation, number(block_ms));
}

}  // namespace

TEST_CASE("the watermark is found where it shows") {
  // Sectors of the HP pass in 0.116 to 0.198 ms: with a bus at 0.25 ms a block every watermark shows.
  for (const double truth : {0.3, 0.5, 0.75, 1.0}) {
    const auto found = measured(truth, 0.25, 20 + static_cast<std::uint64_t>(truth * 100));
    INFO(truth << " " << found.value.value_or(-1) << " +- " << found.error.value_or(-1));
    REQUIRE(found);
    // The drive waits for whole blocks: the share of 2 or 4 blocks is rounded down.
    CHECK(std::abs(*found.value - truth) < 0.02 + 4 * *found.error);
  }
}

TEST_CASE("a drive that sends from the first block on has no watermark") {
  for (const double block_ms : {0.25, 0.02, 0.0}) {
    const auto found = measured(0.0, block_ms, 7);
    REQUIRE(found);
    CHECK(*found.value == 0.0);
  }
}

TEST_CASE("a watermark that the media's pace hides is not made up") {
  const auto found = measured(0.3, 0.02, 9);  // a fast bus has sent all when the last sector comes
  REQUIRE(found);
  CHECK(*found.value == 0.0);
  CHECK(*found.error > 0.1);  // nor denied
}

TEST_CASE("too few samples give a reason") {
  const auto drive = virtual_drive::virtual_model("virtual:hp-c2247");
  const auto nothing = estimate_watermark({}, engine::LayoutMap(drive.layout), drive.rotation, {});
  CHECK_FALSE(nothing);
  CHECK_FALSE(nothing.reason.empty());
}
