// The bus time of a block without any cache hit, on virtual drives with default imperfections.
#include "estimate/slow_bus.h"

#include <cmath>

#include "catch.h"
#include "estimate/estimates.h"
#include "several_blocks.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

struct Measured {
  model::Parameter slow_bus, block_transfer;
};

Measured measured(double block_ms, double watermark, std::uint64_t seed) {
  const testing::SeveralBlocksRead read(testing::hp(watermark, block_ms, seed), seed);
  return {estimate_slow_bus(read.samples, read.map, read.rotation),
          Estimates(read.samples, &read.map, read.rotation).of<Figure::block_transfer>()};
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
