#include "trace/draws.h"

#include <array>

#include "catch.h"
#include "sampling.h"

using namespace platter;
using namespace platter::trace;
using namespace platter::trace::testing;

TEST_CASE("draws below a number are uniform and never reach it") {
  Draws draws(5);
  std::array<int, 7> counts{};
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t drawn = draws.below(counts.size());
    REQUIRE(drawn < counts.size());
    ++counts[drawn];
  }
  for (const int count : counts) CHECK(is_share(count, kDraws, 1.0 / 7));
  CHECK(draws.below(1) == 0);
}

TEST_CASE("a count just above half of what 64 bits hold has no bias") {
  // Without drawing again, a remainder below 2^63 - 1 would come twice as often as one above.
  Draws draws(6);
  constexpr std::uint64_t kCount = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);
  int low = 0;
  for (int i = 0; i < 10'000; ++i) low += draws.below(kCount) < kCount / 3;
  CHECK(is_share(low, 10'000, 1.0 / 3));
}

TEST_CASE("exponential draws have their mean and their tail") {
  Draws draws(7);
  constexpr int kDraws = 100'000;
  constexpr Nanoseconds kMean_ns = 36 * kMillisecond;
  double sum = 0;
  std::array<int, 6> beyond{};  // so many means
  for (int i = 0; i < kDraws; ++i) {
    const Nanoseconds drawn = draws.exponential(kMean_ns);
    REQUIRE(drawn >= 0);
    sum += static_cast<double>(drawn);
    for (std::size_t means = 0; means < beyond.size(); ++means)
      beyond[means] += drawn > static_cast<Nanoseconds>(means) * kMean_ns;
  }
  CHECK(is_mean(sum, kDraws, static_cast<double>(kMean_ns), static_cast<double>(kMean_ns)));
  for (std::size_t means = 1; means < beyond.size(); ++means)
    CHECK(is_share(beyond[means], kDraws, std::exp(-static_cast<double>(means))));
  CHECK(Draws(1).exponential(0) == 0);
}
