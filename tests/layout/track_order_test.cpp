// The guess of what follows the tracks that were met, against its definition.
#include "layout/track_order.h"

#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"

namespace platter::layout::testing {
namespace {

using Places = std::vector<TrackPlace>;

TrackPlace step_between(TrackPlace from, TrackPlace to) {
  return {to.cylinder - from.cylinder, to.head - from.head};
}
TrackPlace moved_on(TrackPlace place, TrackPlace step, std::int64_t times) {
  return {place.cylinder + step.cylinder * times, place.head + step.head * times};
}

struct Guess {
  std::size_t period = 1;
  TrackPlace step{0, 1};
};

// The last `pairs` tracks lie one constant step beyond those one period before.
bool is_constant(const Places& met, std::size_t period, std::size_t pairs) {
  const std::size_t last = met.size() - 1;
  for (std::size_t i = 1; i < pairs; ++i)
    if (step_between(met[last - i - period], met[last - i]) !=
        step_between(met[last - period], met[last]))
      return false;
  return true;
}

// Every period against every track: as the guess is defined.
Guess defined_guess(const Places& met) {
  const auto of_period = [&](std::size_t period) {
    return Guess{period, step_between(met[met.size() - 1 - period], met.back())};
  };
  for (std::size_t period = 1; period + std::max<std::size_t>(period, 2) <= met.size(); ++period)
    if (is_constant(met, period, std::max<std::size_t>(period, 2))) return of_period(period);
  for (std::size_t period = 1; period < met.size(); ++period) {
    const Guess guess = of_period(period);
    const bool on_cylinders = guess.step.cylinder > 0 && guess.step.head == 0;
    const bool on_heads = guess.step.cylinder == 0 && guess.step.head != 0;
    if (!is_constant(met, period, met.size() - period) || (!on_cylinders && !on_heads)) continue;
    const bool new_ones = std::all_of(
        met.end() - static_cast<std::ptrdiff_t>(period), met.end(), [&](TrackPlace place) {
          return std::ranges::find(met, moved_on(place, guess.step, 1)) == met.end();
        });
    if (new_ones) return guess;
  }
  return met.size() > 1 ? of_period(1) : Guess{};
}

// Tracks in front of the cycle that it, played backwards, does not have.
std::size_t defined_prefix(const Places& met, const Guess& guess) {
  std::size_t prefix = met.size();
  while (prefix > 0) {
    const std::size_t ahead = met.size() - (prefix - 1);
    const auto cycles = static_cast<std::int64_t>((ahead + guess.period - 1) / guess.period);
    const std::size_t in_last = prefix - 1 + static_cast<std::size_t>(cycles) * guess.period;
    const TrackPlace told = moved_on(met[in_last - guess.period], guess.step, 1 - cycles);
    if (told != met[prefix - 1]) break;
    --prefix;
  }
  return prefix;
}

void check_guess(const Places& met) {
  const TrackOrder order(met);
  const Guess guess = defined_guess(met);
  REQUIRE(order.cycle() == guess.period);
  REQUIRE(order.met_before_cycle() == defined_prefix(met, guess));
  for (std::size_t i = 0; i < met.size(); ++i) REQUIRE(order.at(i) == met[i]);
  for (std::size_t i = met.size(); i < met.size() + 2 * guess.period; ++i) {
    const std::size_t beyond = i - met.size();
    REQUIRE(order.at(i) == moved_on(met[met.size() - guess.period + beyond % guess.period],
                                    guess.step,
                                    static_cast<std::int64_t>(beyond / guess.period) + 1));
  }
}

// Bands of tracks on one surface after the other; a track in so many holds no block.
Places bands(std::size_t tracks, std::int64_t heads, std::int64_t band, std::int64_t unused_every) {
  Places places;
  for (std::int64_t i = 0, all = 0; places.size() < tracks; ++i) {
    const std::int64_t surface = i / band, along = i % band, group = surface / heads;
    const std::int64_t inward = surface % 2 == 0 ? along : band - 1 - along;
    if (++all % unused_every != 0) places.push_back({group * band + inward, surface % heads});
  }
  return places;
}

TEST_CASE("what follows is guessed as it is defined, whatever was met") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6);
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t end) {
    return static_cast<std::int64_t>(random() % end);
  };
  for (int drive = 0; drive < 40; ++drive) {
    const std::int64_t heads = 1 + below(4), band = 1 + below(7), unused = 3 + below(60);
    Places all = bands(90, heads, band, unused);
    for (int swaps = below(3) == 0 ? 2 : 0; swaps > 0; --swaps)
      std::swap(all[static_cast<std::size_t>(below(90))], all[static_cast<std::size_t>(below(90))]);
    for (std::size_t met = 1; met <= all.size(); ++met)
      check_guess(Places(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(met)));
  }
}

TEST_CASE("an order is learned in steps that grow with the tracks, not with their square") {
  // Squared, each of these guesses takes a second.
  const Places met = bands(150'000, 3, 50'000, 1'000'000);
  for (const std::size_t count : {100'000U, 120'000U, 149'000U}) {
    const TrackOrder order(Places(met.begin(), met.begin() + count));
    CHECK(order.at(count - 1) == met[count - 1]);
  }
}

}  // namespace
}  // namespace platter::layout::testing
