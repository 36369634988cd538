#include "estimate/completion_grid.h"

#include <algorithm>
#include <random>

#include "catch.h"

namespace platter::estimate {
namespace {

// Reads anywhere on a drive of 7200 rpm and sectors of `sector_ns`, and round trips between them;
// completions reach the host at multiples of `grid_ns`, some us late.
Samples run(Nanoseconds grid_ns, Nanoseconds sector_ns, Nanoseconds idle_ns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Nanoseconds> turn(0, 8'333'333), jitter(0, 4'000), start(0, 999);
  Samples samples;
  Nanoseconds now = 12'345;
  const auto add = [&](Experiment experiment, std::uint64_t lbn, Nanoseconds took_ns) {
    Sample sample{.experiment = experiment, .lbn = lbn, .issued_ns = now};
    now += took_ns;
    if (grid_ns > 0) now = (now + grid_ns - 1) / grid_ns * grid_ns;
    now += jitter(random);
    sample.completed_ns = now;
    samples.push_back(sample);
    now += 10'000 + start(random);
  };
  for (std::uint64_t i = 0; i < 200; ++i) add(Experiment::round_trip, 0, idle_ns);
  for (std::uint64_t i = 0; i < 300; ++i)
    add(Experiment::other, i, 3'000'000 + turn(random) / sector_ns * sector_ns);
  return samples;
}

}  // namespace

TEST_CASE("completions at multiples of a microframe are seen to be") {
  for (const Nanoseconds grid_ns :
       {Nanoseconds{125'000}, Nanoseconds{200'000}, Nanoseconds{1'000'000}})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      CAPTURE(grid_ns, seed);
      const auto found = completion_grid(run(grid_ns, 20'000, 50'000, seed));
      REQUIRE(found);
      CHECK(std::abs(*found - grid_ns) < grid_ns / 100);
    }
}

TEST_CASE("neither sectors, nor commands that take alike long, are such moments") {
  for (const Nanoseconds sector_ns : {Nanoseconds{1}, Nanoseconds{20'000}, Nanoseconds{115'000}})
    for (const Nanoseconds idle_ns : {Nanoseconds{40'000}, Nanoseconds{110'000}})
      for (unsigned seed = 1; seed <= 5; ++seed) {
        CAPTURE(sector_ns, idle_ns, seed);
        const auto found = completion_grid(run(0, sector_ns, idle_ns, seed));
        CHECK(found.value_or(0) == 0);
      }
  Samples few = run(125'000, 1, 50'000, 1);
  few.resize(210);
  CHECK_FALSE(completion_grid(few));
}

TEST_CASE("what was rounded away has a variance of the grid's square by twelve") {
  CHECK(least_error_ms(125'000, 1) == Approx(0.0360844));
  CHECK(least_error_ms(125'000, 100) == Approx(0.00360844));
}

}  // namespace platter::estimate
