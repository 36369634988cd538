// The circular median against the one that sums every distance.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "statistics/distribution.h"

using namespace platter::statistics;

namespace {

double summed(const std::vector<double>& samples, double to, double period) {
  double sum = 0;
  for (const double sample : samples) sum += std::abs(fold(sample - to, period));
  return sum;
}

// Of equals the first, as the definition has it.
double by_all_distances(const std::vector<double>& samples, double period) {
  double median = 0, least = std::numeric_limits<double>::infinity();
  for (const double candidate : samples)
    if (const double sum = summed(samples, candidate, period); sum < least) {
      least = sum;
      median = candidate;
    }
  return fold(median, period);
}

}  // namespace

TEST_CASE("circular median: of whole numbers it is the sample that all distances choose") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    const double period = std::uniform_int_distribution<int>(1, 64)(random);
    std::vector<double> samples(std::uniform_int_distribution<std::size_t>(1, 40)(random));
    for (double& sample : samples) sample = std::uniform_int_distribution<int>(-200, 200)(random);
    CAPTURE(round, period, samples);
    // Half a turn either way is the same place.
    CHECK(std::abs(fold(circular_median(samples, period) - by_all_distances(samples, period),
                        period)) == 0);
  }
}

TEST_CASE("circular median: of any numbers no sample is nearer to all") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    std::normal_distribution<double> bunch(std::uniform_real_distribution<>(-9, 9)(random), 0.4);
    std::vector<double> samples(std::uniform_int_distribution<std::size_t>(1, 60)(random));
    for (double& sample : samples) sample = bunch(random);
    constexpr double kPeriod = 5.985;
    const double best = summed(samples, by_all_distances(samples, kPeriod), kPeriod);
    CHECK(summed(samples, circular_median(samples, kPeriod), kPeriod) == Approx(best));
  }
}
