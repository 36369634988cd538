#include <map>
#include <set>

#include "catch.h"
#include "sampling.h"
#include "trace/placer.h"

using namespace platter;
using namespace platter::trace;
using namespace platter::trace::testing;

namespace {

// Every multiple of `align` at which so many blocks lie in one range.
std::set<std::uint64_t> all_places(const Ranges& ranges, std::uint64_t blocks,
                                   std::uint64_t align) {
  std::set<std::uint64_t> places;
  for (const LbnRange& range : ranges.list())
    for (std::uint64_t lbn = range.first; lbn <= range.last; ++lbn)
      if (lbn % align == 0 && range.holds(lbn, blocks)) places.insert(lbn);
  return places;
}

Ranges random_ranges(Draws& draws) {
  std::vector<LbnRange> list;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0, count = 1 + draws.below(4); i < count; ++i) {
    const std::uint64_t first = at + draws.below(30), last = first + draws.below(60);
    list.push_back({first, last});
    at = last + 2;
  }
  return Ranges(list);
}

}  // namespace

TEST_CASE("ranges have the places that a search finds, and draw each of them alike") {
  Draws draws(11);
  for (int round = 0; round < 200; ++round) {
    const Ranges ranges = random_ranges(draws);
    const std::uint64_t blocks = 1 + draws.below(20), align = 1 + draws.below(9);
    const auto places = all_places(ranges, blocks, align);
    REQUIRE(ranges.places(blocks, align) == places.size());
    if (places.empty()) continue;
    for (int i = 0; i < 20; ++i) REQUIRE(places.contains(ranges.draw(draws, blocks, align)));
  }
  const Ranges ranges({{3, 9}, {20, 24}});
  std::map<std::uint64_t, int> drawn;
  for (int i = 0; i < 20'000; ++i) ++drawn[ranges.draw(draws, 2, 1)];
  REQUIRE(drawn.size() == 10);
  for (const auto& [lbn, times] : drawn) CHECK(is_share(times, 20'000, 0.1));
}

TEST_CASE("the largest drive there could be has places, too") {
  const Ranges all({{0, ~std::uint64_t{0} - 1}});
  CHECK(all.places(1, 1) == ~std::uint64_t{0});
  CHECK(all.places(8, 8) == (std::uint64_t{1} << 61) - 1);
}

TEST_CASE("pieces of ranges are equal, apart, and all of them the whole") {
  Draws draws(12);
  for (int round = 0; round < 200; ++round) {
    const Ranges ranges = random_ranges(draws);
    const std::uint64_t count = 1 + draws.below(6);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Ranges piece = ranges.piece({i, count}, {i + 1, count});
      CHECK(piece.blocks() >= ranges.blocks() / count);
      CHECK(piece.blocks() <= ranges.blocks() / count + 1);
      for (const std::uint64_t lbn : all_places(piece, 1, 1)) {
        CHECK(ranges.holds(lbn, 1));
        CHECK(seen.insert(lbn).second);
      }
    }
    CHECK(seen.size() == ranges.blocks());
  }
}

TEST_CASE("a stream goes on in the next range that has room, and from the last in the first") {
  const Ranges ranges({{10, 19}, {30, 31}, {40, 49}});
  CHECK(ranges.next_place(10, 4, 1) == 10);
  CHECK(ranges.next_place(14, 4, 1) == 14);
  CHECK(ranges.next_place(18, 4, 1) == 40);
  CHECK(ranges.next_place(18, 2, 1) == 18);
  CHECK(ranges.next_place(20, 2, 1) == 30);
  CHECK(ranges.next_place(50, 4, 1) == 10);
  CHECK(ranges.next_place(47, 4, 1) == 10);
  CHECK(ranges.next_place(std::nullopt, 4, 1) == 10);
  CHECK(ranges.next_place(std::nullopt, 4, 8) == 16);
  CHECK(ranges.next_place(15, 4, 8) == 15);
  CHECK(ranges.next_place(48, 4, 8) == 16);
}
