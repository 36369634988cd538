// The contents by themselves: what is torn, what is lost with the power, what a check finds.
#include "contents.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "pattern.h"

using namespace trust;

namespace {

constexpr std::uint64_t kSeed = 5;

Bytes of_pattern(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t bytes = 512) {
  Bytes all;
  for (std::uint64_t at = lbn; at < lbn + blocks; ++at) {
    const Bytes block = pattern(kSeed, at, bytes);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

std::set<std::uint64_t> lbns(const std::vector<Difference>& differences) {
  std::set<std::uint64_t> found;
  for (const auto& difference : differences) found.insert(difference.lbn);
  return found;
}

Contents emulating(std::uint32_t lowest = 0, Torn torn = Torn::unreadable) {
  return Contents({.blocks = 1000, .block_bytes = 512, .per_physical = 8, .lowest_aligned = lowest},
                  kSeed, torn);
}

}  // namespace

TEST_CASE("Contents: a rewrite with what was there is no difference, anything else is") {
  Contents drive = emulating();
  drive.write(100, of_pattern(100, 3));
  CHECK(drive.differences(true).empty());
  drive.write(100, of_pattern(101, 2));
  CHECK(lbns(drive.differences(true)) == std::set<std::uint64_t>{100, 101});
  CHECK(drive.read(100, 2, true) == of_pattern(101, 2));
  drive.write(100, of_pattern(100, 2));
  CHECK(drive.differences(true).empty());
}

TEST_CASE("Contents: physical blocks are torn whole, counted from the lowest aligned LBN") {
  const auto [lowest, first, last] = GENERATE(table<std::uint32_t, std::uint64_t, std::uint64_t>(
      {{0, 96, 103}, {3, 99, 106}, {7, 95, 102}}));
  Contents drive = emulating(lowest);
  Contents::Random random(1);
  const auto torn = drive.tear_one(100, of_pattern(100, 1), random);
  REQUIRE(torn.size() == 8);
  CHECK(torn.front() == first);
  CHECK(torn.back() == last);
  const auto differ = drive.differences(true);
  CHECK(differ.size() == 8);
  CHECK(std::ranges::all_of(differ, &Difference::unreadable));
  CHECK(drive.first_unreadable(0, 1000) == first);
  CHECK(drive.read(first - 2, 8, true).size() == 2 * 512);
  drive.write(first, of_pattern(first, 8));
  CHECK(drive.differences(true).empty());
}

TEST_CASE("Contents: the first physical block of an offset drive is a short one") {
  Contents drive = emulating(3);
  Contents::Random random(1);
  CHECK(drive.tear_one(1, of_pattern(1, 1), random) == std::vector<std::uint64_t>{0, 1, 2});
}

TEST_CASE("Contents: garbage can be read and differs") {
  Contents drive = emulating(0, Torn::garbage);
  Contents::Random random(1);
  drive.tear_one(100, of_pattern(100, 1), random);
  CHECK(drive.differences(true).size() == 8);
  CHECK_FALSE(drive.first_unreadable(0, 1000));
  CHECK(drive.read(96, 8, true).size() == 8 * 512);
}

TEST_CASE(
    "Contents: of a write that is cut off some blocks are old, some new, and most often one is "
    "torn") {
  int torn_writes = 0, old_blocks = 0, new_blocks = 0;
  Contents::Random random(1);
  for (int i = 0; i < 200; ++i) {
    Contents drive({.blocks = 1000}, kSeed, Torn::unreadable);
    const auto torn = drive.tear(100, of_pattern(200, 10), random);
    torn_writes += !torn.empty();
    const auto differ = drive.differences(true);
    new_blocks += static_cast<int>(std::ranges::count(differ, false, &Difference::unreadable));
    old_blocks += 10 - static_cast<int>(differ.size());
    CHECK(static_cast<std::size_t>(std::ranges::count(differ, true, &Difference::unreadable)) ==
          torn.size());
  }
  CHECK(torn_writes > 150);
  CHECK(old_blocks > 300);
  CHECK(new_blocks > 300);
}

TEST_CASE("Contents: what waits in the cache is read, and is not on the media") {
  Contents drive({.blocks = 1000}, kSeed, Torn::unreadable);
  Contents::Random random(1);
  drive.write_cached(100, of_pattern(500, 4), 1000);
  CHECK(drive.read(100, 4, false) == of_pattern(500, 4));
  CHECK(drive.read(100, 4, true) == of_pattern(100, 4));
  CHECK(drive.differences(true).empty());
  CHECK(drive.differences(false).size() == 4);
  drive.destage(999, random);
  CHECK(drive.dirty() == 4);
  drive.flush(101, 2);
  CHECK(lbns(drive.differences(true)) == std::set<std::uint64_t>{101, 102});
  drive.destage(1000, random);
  CHECK(drive.dirty() == 0);
  CHECK(drive.differences(true).size() == 4);
}

TEST_CASE("Contents: without power the cache is gone, and blocks of it are old, new or torn") {
  int untouched = 0, arrived = 0, torn = 0;
  Contents::Random random(1);
  for (int i = 0; i < 200; ++i) {
    Contents drive({.blocks = 1000}, kSeed, Torn::unreadable);
    drive.write_cached(100, of_pattern(500, 1), 1000);
    drive.lose_cache(random);
    CHECK(drive.dirty() == 0);
    const auto differ = drive.differences(true);
    if (differ.empty())
      ++untouched;
    else if (differ.front().unreadable)
      ++torn;
    else
      ++arrived;
  }
  CHECK(untouched > 40);
  CHECK(arrived > 40);
  CHECK(torn > 15);
}

TEST_CASE("Contents: a cache may hide what the media have lost") {
  Contents drive({.blocks = 1000}, kSeed, Torn::unreadable);
  Contents::Random random(1);
  drive.write(100, of_pattern(100, 1));
  drive.spoil_below_cache(100, random);
  CHECK(drive.read(100, 1, false) == of_pattern(100, 1));
  CHECK(drive.read(100, 1, true) != of_pattern(100, 1));
  CHECK(drive.differences(false).empty());
  CHECK(lbns(drive.differences(true)) == std::set<std::uint64_t>{100});
}

TEST_CASE("Contents: all of it comes back from its file") {
  Contents drive = emulating();
  Contents::Random random(1);
  drive.write(10, of_pattern(20, 2));
  drive.spoil(100, true, random);
  drive.write_cached(300, of_pattern(301, 1), 1000);
  drive.spoil_below_cache(400, random);
  Contents again = emulating();
  again.from_json(Json::parse(drive.to_json().dump()));
  CHECK(lbns(again.differences(true)) == lbns(drive.differences(true)));
  CHECK(lbns(again.differences(false)) == lbns(drive.differences(false)));
  CHECK(again.dirty() == 1);
  CHECK(again.read(10, 2, true) == of_pattern(20, 2));
  CHECK(again.read(400, 1, false) == of_pattern(400, 1));
}
