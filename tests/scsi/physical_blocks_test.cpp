#include "scsi/physical_blocks.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

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
