// Bands' tracks by a digital line, against the line that they are of.
#include "layout_by_timing/band_width.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::layout_by_timing {
namespace {

// The bands of a surface, each that many tracks of the finest wide.
struct Surface {
  double width = 0, first = 0;
  std::uint32_t band(int index) const {
    return static_cast<std::uint32_t>(std::floor(first + (index + 1) * width) -
                                      std::floor(first + index * width));
  }
};

Surface drawn(std::mt19937_64& random) {
  std::uniform_real_distribution<double> share(0, 1);
  return {1 + 599 * share(random), share(random)};
}

int wrong_of(BandWidth& width, const Surface& surface, int from, int count) {
  int wrong = 0;
  for (int i = from; i < from + count; ++i) {
    if (width.tracks_after(0) != surface.band(i)) ++wrong;
    width.seen(surface.band(i));
  }
  return wrong;
}

}  // namespace

TEST_CASE("few bands of a surface are not foreseen, whatever its width", "[layout_by_timing]") {
  std::mt19937_64 random(7);
  int wrong = 0, wrong_far = 0;
  constexpr int kSurfaces = 100, kBands = 2'000;
  for (int i = 0; i < kSurfaces; ++i) {
    const Surface surface = drawn(random);
    BandWidth width(surface.band(0));
    wrong += wrong_of(width, surface, 0, kBands);
    for (int more = 0; more < 20; ++more)
      if (width.tracks_after(static_cast<std::uint64_t>(more)) != surface.band(kBands + more))
        ++wrong_far;
  }
  CHECK(wrong < 20 * kSurfaces);  // of 2,000 bands; by the last one's tracks it would be 600
  CHECK(wrong_far < 20);
}

TEST_CASE("bands that nobody read in between do not make the next ones wrong",
          "[layout_by_timing]") {
  std::mt19937_64 random(8);
  const Surface surface = drawn(random);
  BandWidth width(surface.band(0));
  wrong_of(width, surface, 0, 1'000);
  for (int i = 0; i < 100; ++i) width.passed(width.tracks_after(0));
  CHECK(wrong_of(width, surface, 1'100, 500) <= 4);
}

TEST_CASE("one band that was taken for another does not change the width", "[layout_by_timing]") {
  std::mt19937_64 random(9);
  const bool whole = GENERATE(false, true);
  const std::uint32_t more = GENERATE(0U, 3U);
  Surface surface = drawn(random);
  if (whole) surface.width = std::floor(surface.width);
  BandWidth width(surface.band(0));
  wrong_of(width, surface, 0, 300);
  width.seen(surface.band(300) / 2 + more);
  CHECK(wrong_of(width, surface, 301, 500) <= 4);
}

TEST_CASE("behind bands of which nobody knows how many they were the slope is known yet",
          "[layout_by_timing]") {
  std::mt19937_64 random(10);
  const Surface surface = drawn(random);
  BandWidth width(surface.band(0));
  wrong_of(width, surface, 0, 1'000);
  width.lose_count();
  CHECK(wrong_of(width, surface, 1'137, 500) <= 12);
}

TEST_CASE("a surface whose width changes is followed", "[layout_by_timing]") {
  std::mt19937_64 random(11);
  const Surface surface = drawn(random);
  const Surface wider{surface.width + GENERATE(0.4, 5.0), 0};
  BandWidth width(surface.band(0));
  wrong_of(width, surface, 0, 300);
  CHECK(wrong_of(width, wider, 0, 1'000) <= 25);
}

TEST_CASE("a count of bands that is lost again and again leaves them as wide as they were",
          "[layout_by_timing]") {
  const Surface surface{17.3, 0.4};
  BandWidth width(surface.band(0));
  wrong_of(width, surface, 1, 40);
  for (int times = 0; times < 20; ++times) width.lose_count();
  CHECK(std::abs(static_cast<int>(width.tracks_after(0)) - 17) <= 1);
}

}  // namespace platter::layout_by_timing
