// Where a track begins, by its neighbours.
#include "layout/starts_by_skew.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::layout {
namespace {

std::vector<SeenStart> seen_from(double start, double skew, std::uint64_t sectors,
                                 std::int64_t from, std::int64_t to) {
  std::vector<SeenStart> seen;
  const auto turn = static_cast<double>(sectors);
  for (std::int64_t k = from; k <= to; ++k) {
    if (k == 0) continue;
    const double at = std::floor(start + skew * static_cast<double>(k));
    seen.push_back({k, static_cast<std::uint64_t>(at - turn * std::floor(at / turn))});
  }
  return seen;
}

TEST_CASE("neighbours on both sides tell where a track begins, whatever the skew") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share(0, 1);
  int told_exactly = 0;
  constexpr int kTracks = 2000;
  for (int i = 0; i < kTracks; ++i) {
    const auto sectors = 40 + static_cast<std::uint64_t>(1000 * share(random));
    const double start = static_cast<double>(sectors) * share(random);
    const double skew = static_cast<double>(sectors) * share(random);
    const auto told = starts_by_skew(seen_from(start, skew, sectors, -6, 6), sectors);
    REQUIRE(told);
    CHECK(told->has(static_cast<std::uint64_t>(start), sectors));
    told_exactly += told->count == 1 ? 1 : 0;
  }
  CHECK(told_exactly > kTracks * 2 / 3);
}

TEST_CASE("neighbours on one side leave several starts, and one if the skew is whole") {
  const auto whole = starts_by_skew(seen_from(17, 23, 100, 1, 6), 100);
  REQUIRE(whole);
  CHECK(whole->count > 1);
  CHECK(whole->has(17, 100));
  CHECK(whole->if_whole == 17);
  const auto parts = starts_by_skew(seen_from(17.4, 23.4, 100, 1, 6), 100);
  REQUIRE(parts);
  CHECK(parts->has(17, 100));
  CHECK_FALSE(parts->if_whole);
}

TEST_CASE("starts that follow no constant skew tell nothing") {
  CHECK_FALSE(starts_by_skew({{-2, 10}, {-1, 20}, {1, 45}, {2, 50}}, 100));
  CHECK_FALSE(starts_by_skew({{1, 10}}, 100));
  CHECK_FALSE(starts_by_skew({{-3, 10}, {-1, 30}, {1, 50}}, 100));  // none side by side
}

}  // namespace
}  // namespace platter::layout
