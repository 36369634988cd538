// Hits whose completions the host sees at multiples of a grid only.
#include <cmath>
#include <random>

#include "catch.h"
#include "estimate/completion_grid.h"
#include "estimate/estimates.h"

namespace platter::estimate {
namespace {

constexpr Nanoseconds kGrid = 125'000, kPeriod = 6'000'000;
constexpr double kOverhead_ms = 0.2, kBlock_ms = 0.03;

// Reads of 1 to 32 blocks, each issued anywhere in a step.
Samples hits(std::uint32_t rounds, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Nanoseconds> rest(0, kGrid - 1);
  std::normal_distribution<double> host(0, 2'000);
  Samples samples;
  Nanoseconds now = 1'234'567;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint32_t blocks = 1; blocks <= 32; blocks *= 2) {
      now += rest(random);
      Sample sample{.experiment = Experiment::hit, .lbn = 5, .blocks = blocks, .issued_ns = now};
      sample.after_completed_ns = now - 1;
      const double took = 1e6 * (kOverhead_ms + kBlock_ms * blocks) + host(random);
      now += static_cast<Nanoseconds>(took);
      now = (now + kGrid - 1) / kGrid * kGrid;
      sample.completed_ns = now;
      samples.push_back(sample);
    }
  return samples;
}

model::Rotation rotation() { return {.numerator_ns = kPeriod, .denominator = 1}; }

}  // namespace

TEST_CASE("of hits on a grid the time and the bus time are right within their errors") {
  constexpr int kRuns = 100;
  for (const std::uint32_t rounds : {12U, 40U}) {
    double of_block = 0, of_overhead = 0;
    for (unsigned seed = 1; seed <= kRuns; ++seed) {
      const Samples samples = hits(rounds, seed);
      Estimates estimates(samples, nullptr, rotation(), nullptr, kGrid);
      const model::Parameter block = estimates.of<Figure::block_transfer>();
      const model::Parameter overhead = estimates.of<Figure::overheads>().read_hit_after_read;
      REQUIRE(block.value);
      REQUIRE(overhead.value);
      const double block_error = std::max(*block.error, least_error_ms(kGrid, block.samples));
      const double overhead_error = std::max(*overhead.error,
                                             least_error_ms(kGrid, overhead.samples));
      of_block += std::pow((*block.value - kBlock_ms) / block_error, 2) / kRuns;
      // Rounded up by half a step in the mean.
      of_overhead += std::pow((*overhead.value - kOverhead_ms - kGrid / 2e6) / overhead_error, 2) /
                     kRuns;
    }
    CAPTURE(rounds, std::sqrt(of_block), std::sqrt(of_overhead));
    CHECK(std::sqrt(of_block) < 1.3);
    CHECK(std::sqrt(of_overhead) < 1.3);
    CHECK(std::sqrt(of_overhead) > 0.4);
  }
}

TEST_CASE("without a grid hits are as they were seen") {
  const Samples samples = hits(10, 3);
  std::vector<double> seen;
  for (const Sample& sample : samples)
    if (sample.blocks == 1) seen.push_back(to_ms(sample.completed_ns - sample.issued_ns));
  Estimates estimates(samples, nullptr, rotation());
  CHECK(estimates.of<Figure::hits>().of(false, false)->of_size(1) == seen);
}

}  // namespace platter::estimate
