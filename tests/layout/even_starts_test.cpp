// Which number comes next, of numbers that move on evenly: hardly ever a wrong one.
#include "layout/even_starts.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::layout {
namespace {

TEST_CASE("the next of evenly moving numbers is told, and hardly ever another") {
  constexpr std::uint64_t kSeen = 400;
  std::mt19937_64 random(7);
  std::uint64_t wrong = 0;
  for (int drive = 0; drive < 200; ++drive) {
    const std::uint64_t sectors = 40 + random() % 1000;
    const auto turn = static_cast<double>(sectors);
    std::uniform_real_distribution<double> any(0, turn);
    const double start = any(random), step = drive % 4 == 0 ? std::floor(any(random)) : any(random);
    const std::uint64_t apart = 1 + random() % 3;
    EvenStarts starts(sectors);
    std::uint64_t told = 0;
    for (std::uint64_t k = 0; k < kSeen; ++k) {
      const std::uint64_t index = 5 + k * apart;
      const double at = std::floor(start + step * static_cast<double>(index));
      const auto number = static_cast<std::uint64_t>(at - turn * std::floor(at / turn)) % sectors;
      told += starts.tells(index, number);
      wrong += starts.tells(index, (number + 1) % sectors);
      wrong += starts.tells(index, (number + sectors - 1) % sectors);
      starts.see(index, number);
    }
    CHECK(told > kSeen * 8 / 10);
  }
  CHECK(wrong < 200 * kSeen / 500);
}

TEST_CASE("where numbers move on otherwise all begins anew") {
  EvenStarts starts(100);
  for (std::uint64_t i = 0; i < 20; ++i) starts.see(i, i * 7 % 100);
  CHECK(starts.tells(20, 40));
  CHECK_FALSE(starts.tells(20, 55));
  starts.see(20, 55);
  for (std::uint64_t i = 1; i < 20; ++i) starts.see(20 + i, (55 + i * 11) % 100);
  CHECK(starts.tells(40, 75));
}

}  // namespace
}  // namespace platter::layout
