#include "scsi/physical_blocks.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "catch.h"

namespace platter::scsi {
namespace {

Capacity capacity(std::uint64_t blocks, std::uint32_t in_physical, std::uint32_t lowest_aligned) {
  Capacity c;
  c.blocks = blocks;
  c.block_bytes = 512;
  c.physical_block_bytes = 512 * in_physical;
  c.lowest_aligned_lbn = lowest_aligned;
  return c;
}

// The number of the physical block that each LBN lies in, counted out.
std::vector<std::int64_t> counted_out(const Capacity& c) {
  const std::int64_t n = c.physical_block_bytes / c.block_bytes;
  std::vector<std::int64_t> of;
  std::int64_t in_block = (n - c.lowest_aligned_lbn % n) % n, block = 0;
  for (std::uint64_t lbn = 0; lbn < c.blocks; ++lbn) {
    of.push_back(block);
    if (++in_block == n) in_block = 0, ++block;
  }
  return of;
}

TEST_CASE("physical blocks are those that counting from the lowest aligned LBN gives") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t in_physical = 1U << random() % 5;
    const Capacity c = capacity(20 + random() % 100, in_physical,
                                static_cast<std::uint32_t>(random() % (2 * in_physical)));
    const PhysicalBlocks physical(c);
    const auto of = counted_out(c);
    const std::uint64_t first = random() % c.blocks, last = first + random() % (c.blocks - first);
    std::uint64_t begin = first, end = last;
    while (begin > 0 && of[begin - 1] == of[first]) --begin;
    while (end + 1 < c.blocks && of[end + 1] == of[last]) ++end;
    const LbnRange covering = physical.covering(first, last - first + 1);
    REQUIRE(covering.first == begin);
    REQUIRE(covering.last == end);

    std::set<std::uint64_t> inside;
    for (std::uint64_t lbn = first; lbn <= last; ++lbn) {
      const LbnRange own = physical.covering(lbn, 1);
      if (own.first >= first && own.last <= last) inside.insert(lbn);
    }
    const auto within =
        physical.within({first, last + (i % 2 ? 0 : 1000 * (last + 1 == c.blocks))});
    REQUIRE(within.has_value() == !inside.empty());
    if (!within) continue;
    REQUIRE(within->first == *inside.begin());
    REQUIRE(within->last == *inside.rbegin());
  }
}

// holds: safety.md: A range of `--allow-writes`
TEST_CASE("whole are physical blocks of which every logical one is there") {
  std::mt19937 random(8);
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t in_physical = 1U << random() % 4;
    const Capacity c = capacity(20 + random() % 40, in_physical,
                                static_cast<std::uint32_t>(random() % (2 * in_physical)));
    const PhysicalBlocks physical(c);
    const auto of = counted_out(c);
    const auto holds_all = [&](std::uint64_t lbn) {
      return std::count(of.begin(), of.end(), of[lbn]) == in_physical;
    };
    const std::uint64_t first = random() % c.blocks;
    std::optional<LbnRange> longest;  // from there on, or behind it
    for (std::uint64_t last = first; last < c.blocks; ++last) {
      const std::uint64_t blocks = last - first + 1;
      const bool begins = first == 0 || of[first - 1] != of[first];
      const bool ends = last + 1 == c.blocks || of[last + 1] != of[last];
      const bool whole = begins && ends && holds_all(first) && holds_all(last);
      REQUIRE(physical.is_whole(first, blocks) == whole);
      if (whole) longest = LbnRange{first, last};
    }
    REQUIRE_FALSE(physical.is_whole(first, 0));
    const auto within = physical.whole_within({first, c.blocks + 5});
    if (longest) {
      REQUIRE(within);
      REQUIRE(within->first == longest->first);
      REQUIRE(within->last == longest->last);
    } else if (within) {
      REQUIRE(physical.is_whole(within->first, within->last - within->first + 1));
      REQUIRE(within->first > first);
    }
  }
  const PhysicalBlocks physical(capacity(1000, 8, 0));
  CHECK(physical.rounded_down(23) == 16);
  CHECK(physical.rounded_up(17) == 24);
  CHECK(physical.rounded_up(16) == 16);
}

TEST_CASE("ranges that touch are one, and those without a whole physical block are gone") {
  const PhysicalBlocks physical(capacity(1000, 8, 0));
  const auto whole = whole_physical_blocks({{100, 103}, {20, 26}, {12, 15}, {16, 19}, {104, 200}},
                                           physical);
  REQUIRE(whole.size() == 2);
  CHECK(whole[0].first == 16);
  CHECK(whole[0].last == 23);
  CHECK(whole[1].first == 104);
  CHECK(whole[1].last == 199);
  CHECK(whole_physical_blocks({{1, 7}}, physical).empty());
}

}  // namespace
}  // namespace platter::scsi
