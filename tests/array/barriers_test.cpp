#include "array/barriers.h"

#include "catch.h"

using platter::array::Barriers;
using Copy = Barriers::Copy;

namespace {

constexpr std::uint32_t kBlockBytes = 512;
constexpr std::uint64_t kRegion = Barriers::kRegionBytes / kBlockBytes;  // blocks

}  // namespace

TEST_CASE("31 copies of a region are under way at once, and as many of the next") {
  Barriers barriers(kBlockBytes);
  for (std::uint32_t i = 0; i < 31; ++i) REQUIRE(barriers.begin_copy(i * 128) == Copy::begins);
  CHECK(barriers.begin_copy(31 * 128) == Copy::waits);
  for (std::uint32_t i = 0; i < 31; ++i)
    REQUIRE(barriers.begin_copy(kRegion + i * 128) == Copy::begins);
  CHECK(barriers.begin_copy(kRegion + 31 * 128) == Copy::waits);
  barriers.end_copy(kRegion);
  CHECK(barriers.begin_copy(kRegion + 31 * 128) == Copy::begins);
}

TEST_CASE("a write waits for the copies of its region, a read and another region's write do not") {
  Barriers barriers(kBlockBytes);
  REQUIRE(barriers.begin_copy(0) == Copy::begins);
  CHECK_FALSE(barriers.begin_request(kRegion - 8, true));
  CHECK(barriers.begin_request(kRegion - 8, false));
  CHECK(barriers.begin_request(kRegion, true));
  barriers.end_copy(0);
  CHECK(barriers.begin_request(kRegion - 8, true));
}

TEST_CASE("a copy waits for what is outstanding, and writes that come meanwhile for the copy") {
  Barriers barriers(kBlockBytes);
  REQUIRE(barriers.begin_request(8, false));
  CHECK(barriers.begin_copy(0) == Copy::waits);
  CHECK_FALSE(barriers.begin_request(16, true));
  barriers.end_request(8);
  CHECK(barriers.begin_copy(0) == Copy::begins);
}

TEST_CASE("a copy gives way once for a tick to a write that waits, and then until none does") {
  Barriers barriers(kBlockBytes);
  REQUIRE(barriers.begin_copy(0) == Copy::begins);
  REQUIRE_FALSE(barriers.begin_request(8, true));
  barriers.hold(8);
  CHECK(barriers.begin_copy(128) == Copy::gives_way_for_a_tick);
  CHECK(barriers.begin_copy(128) == Copy::waits);
  barriers.end_copy(0);
  REQUIRE(barriers.begin_request(8, true));
  barriers.let_go(8);
  CHECK(barriers.begin_copy(128) == Copy::waits);  // for the write itself
  barriers.end_request(8);
  CHECK(barriers.begin_copy(128) == Copy::begins);
  REQUIRE_FALSE(barriers.begin_request(8, true));
  barriers.hold(8);
  CHECK(barriers.begin_copy(256) == Copy::gives_way_for_a_tick);
}
