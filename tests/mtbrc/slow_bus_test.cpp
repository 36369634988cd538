// The bus time of a block without any cache hit, on virtual drives with default imperfections.
#include "mtbrc/slow_bus.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "mtbrc/overheads.h"
#include "mtbrc/watermark.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::mtbrc;

namespace {

model::Parameter number(double value) {
  model::Parameter parameter;
  parameter.value = value;
  return parameter;
}

// Sectors of the HP pass in 0.116 to 0.198 ms.
struct Measured {
  model::Parameter slow_bus, block_transfer;
};

Measured measured(double block_ms, double watermark, std::uint64_t seed) {
  model::DriveModel drive =
      virtual_drive::virtual_model("virtual:hp-c2247?seed=" + std::to_string(seed));
  drive.bus.block_transfer = number(block_ms);
  drive.bus.high_read_watermark = number(watermark);
  drive.bus.watermark_by_request_size = number(1);
  virtual_drive::VirtualDevice device(drive, "a drive");
  scsi::Guard guard(device, {});
  scsi::Drive scsi(guard, "a drive");
  scsi.identify();
  scsi.settings().set_cache(false, true, true);
  Context context(scsi, seed);
  context.rotation = drive.rotation;
  const engine::LayoutMap map(drive.layout);
  context.map = &map;
  measure_watermark(context);
  return {estimate_slow_bus(context.samples, map, drive.rotation),
          estimate_overheads(context.samples, map, drive.rotation).block_transfer};
}

}  // namespace

TEST_CASE("a bus slower than the media is timed by reads from the media") {
  std::uint64_t seed = 70;
  for (const double watermark : {0.0, 0.5, 1.0})
    for (const double block_ms : {0.25, 0.6, 1.1}) {
      const model::Parameter found = measured(block_ms, watermark, ++seed).slow_bus;
      INFO("watermark " << watermark << ", " << block_ms << " ms: " << found.value.value_or(-1)
                        << " +- " << found.error.value_or(-1) << " " << found.reason);
      REQUIRE(found);
      CHECK(std::abs(*found.value - block_ms) < 4 * *found.error);
      CHECK(*found.error < 0.1 * block_ms);
    }
}

TEST_CASE("a bus slower than the dense zones alone is timed by these") {
  for (std::uint64_t seed = 90; seed < 94; ++seed) {
    const model::Parameter found = measured(0.16, 0, seed).slow_bus;
    INFO(found.value.value_or(-1) << " +- " << found.error.value_or(-1) << " " << found.reason);
    REQUIRE(found);
    CHECK(std::abs(*found.value - 0.16) < 4 * *found.error);
  }
}

TEST_CASE("a bus that keeps up with the media has no time of its own") {
  for (std::uint64_t seed = 80; seed < 86; ++seed) {
    const model::Parameter found = measured(0.05, 0, seed).slow_bus;
    INFO(found.value.value_or(-1) << " +- " << found.error.value_or(-1));
    REQUIRE_FALSE(found);
    CHECK(found.reason == "no cache hits were timed, and the bus keeps up with the media");
  }
}

// Slower than any that is tried: neither the slowest of these nor none at all is what it is.
TEST_CASE("a bus time that explains nothing is not stated") {
  for (const double block_ms : {5.0, 8.3}) {
    const model::Parameter found = measured(block_ms, 0, 97).slow_bus;
    INFO(block_ms << ": " << found.value.value_or(-1) << " " << found.reason);
    REQUIRE_FALSE(found);
    CHECK(found.reason.find("no bus time of a block explains") != std::string::npos);
  }
}

TEST_CASE("overheads without a hit have the bus time of reads from the media") {
  const model::Parameter found = measured(0.25, 0, 95).block_transfer;
  REQUIRE(found);
  CHECK(std::abs(*found.value - 0.25) < 4 * *found.error);
}
