// When a drive begins to send what it reads, on virtual drives with default imperfections whose
// watermark and bus are set to any value.
#include "mtbrc/watermark.h"

#include <cmath>

#include "catch.h"
#include "estimate/watermark.h"
#include "several_blocks.h"
#include "virtual_drive/catalogue.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;
using testing::hp, testing::number;

namespace {

struct MeasuredMark {
  model::Parameter watermark, portions;
};

model::DriveModel with(const std::string& name, std::uint64_t seed) {
  return virtual_drive::virtual_model("virtual:" + name + "?seed=" + std::to_string(seed));
}

MeasuredMark both_of(const model::DriveModel& drive, std::uint64_t seed) {
  const testing::SeveralBlocksRead read(drive, seed);
  const model::Parameter& block = drive.bus.block_transfer;
  const Evidence evidence(read.samples, &read.map, read.rotation);
  return {estimate_watermark(evidence, block), estimate_portions(evidence, block)};
}

MeasuredMark both_of(double watermark, double block_ms, std::uint64_t seed, double by_request = 1) {
  return both_of(hp(watermark, block_ms, seed, by_request), seed);
}

model::Parameter watermark_of(double watermark, double block_ms, std::uint64_t seed) {
  return both_of(watermark, block_ms, seed).watermark;
}

}  // namespace

TEST_CASE("the watermark is found where it shows") {
  // Sectors of the HP pass in 0.116 to 0.198 ms: with a bus at 0.25 ms a block every watermark
  // shows.
  for (const double truth : {0.3, 0.5, 0.75, 1.0}) {
    const auto found = watermark_of(truth, 0.25, 20 + static_cast<std::uint64_t>(truth * 100));
    INFO(truth << " " << found.value.value_or(-1) << " +- " << found.error.value_or(-1));
    REQUIRE(found);
    // The drive waits for whole blocks: the share of 2 or 4 blocks is rounded down.
    CHECK(std::abs(*found.value - truth) < 0.02 + 4 * *found.error);
  }
}

// A share a little below three quarters would have reads of 4, 8, 12, ... blocks sent a block too
// early.
TEST_CASE("the watermark is right to the block for the sizes that were read") {
  for (std::uint64_t seed = 41; seed <= 52; ++seed) {
    const auto found = watermark_of(0.75, 0.17, seed);
    INFO("seed " << seed << ": " << found.value.value_or(-1) << " +- " << found.error.value_or(-1));
    REQUIRE(found);
    int wrong = 0;
    for (int blocks = 1; blocks <= 24; ++blocks)
      wrong += std::floor(blocks * *found.value) == std::floor(blocks * 0.75) ? 0 : 1;
    CHECK(wrong == 0);
    CHECK(std::abs(*found.value - 0.75) < 0.001 + 3 * *found.error);
  }
}

TEST_CASE("a drive that sends from the first block on has no watermark") {
  for (const double block_ms : {0.25, 0.02, 0.0}) {
    const auto found = watermark_of(0.0, block_ms, 7);
    REQUIRE(found);
    CHECK(*found.value == 0.0);
  }
}

TEST_CASE("a watermark that the media's pace hides is not made up") {
  const auto found = watermark_of(0.3, 0.02, 9);  // a fast bus has sent all when the last sector
                                                  // comes
  REQUIRE(found);
  CHECK(*found.value == 0.0);
  CHECK(*found.error > 0.1);  // nor denied
}

TEST_CASE("what is sent in portions is seen, and their size is right") {
  for (const double portion : {4.0, 8.0, 16.0})
    for (const double block_ms : {0.02, 0.06, 0.17})
      for (const std::uint64_t seed : {31, 32, 33}) {
        const auto found = both_of(0, block_ms, seed, portion);
        INFO(portion << " blocks at " << block_ms << " ms each, seed " << seed);
        CHECK(found.portions.value.value_or(0) == portion);
      }
}

TEST_CASE("portions are seen on drives of other speeds") {
  // A slow platter and small portions may leave a neighbouring size about as likely.
  int right = 0, all = 0;
  for (const std::string name :
       {"seagate-barracuda4lp", "seagate-cheetah9lp", "ibm-ultrastar18es", "quantum-atlas10k"})
    for (const double portion : {4.0, 8.0, 16.0})
      for (const std::uint64_t seed : {5, 6, 7}) {
        auto drive = with(name, seed);
        drive.bus.watermark_by_request_size = number(portion);
        const double found = both_of(drive, seed).portions.value.value_or(0);
        UNSCOPED_INFO(name << ", " << portion << " blocks, seed " << seed << ": " << found);
        right += found == portion ? 1 : 0;
        ++all;
      }
  CHECK(right >= all - 2);
}

TEST_CASE("no portions are made up", "[.long]") {
  for (const std::string name : {"hp-c2247", "seagate-barracuda4lp", "seagate-cheetah9lp",
                                 "ibm-ultrastar18es", "quantum-atlas10k", "maxtor-atlas10k4"})
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      INFO(name << ", seed " << seed);
      CHECK(both_of(with(name, seed), seed).portions.value.value_or(1) == 1);
    }
}

TEST_CASE("a drive with a watermark, or with none, sends no portions") {
  for (const double watermark : {0.0, 0.3, 0.5, 0.75, 1.0})
    for (const double block_ms : {0.02, 0.1, 0.25})
      for (const std::uint64_t seed : {3, 4, 5}) {
        INFO(watermark << ", " << block_ms << " ms, seed " << seed);
        CHECK(both_of(watermark, block_ms, seed).portions.value.value_or(0) == 1);
      }
}

TEST_CASE("too few samples give a reason") {
  const auto drive = virtual_drive::virtual_model("virtual:hp-c2247");
  const estimate::Samples none;
  const engine::LayoutMap map(drive.layout);
  const auto nothing = estimate_watermark(Evidence(none, &map, drive.rotation), {});
  CHECK_FALSE(nothing);
  CHECK_FALSE(nothing.reason.empty());
}
