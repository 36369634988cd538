#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "emulator/pace/lateness.h"

using namespace platter;
using emulator::Histogram;

TEST_CASE("a quantile is that of the sorted values, to a thirty-second of it", "[histogram]") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> times(10, 4);
  Histogram histogram;
  std::vector<Nanoseconds> values;
  for (int i = 0; i < 20'001; ++i) {
    values.push_back(static_cast<Nanoseconds>(times(random)));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.001, 0.1, 0.5, 0.98, 0.99, 0.9999}) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    const auto exact = values[rank - 1];
    INFO(share << " " << exact);
    CHECK(histogram.quantile(share) >= exact);
    CHECK(histogram.quantile(share) <= exact + exact / 32);
  }
  CHECK(histogram.quantile(1) == values.back());
  CHECK(histogram.max() == values.back());
  CHECK(histogram.count() == values.size());
}

TEST_CASE("small values are exact, and no value is too large", "[histogram]") {
  Histogram histogram;
  CHECK(histogram.quantile(0.5) == 0);
  for (Nanoseconds value = 0; value < 64; ++value) histogram.add(value);
  CHECK(histogram.quantile(0.5) == 31);
  CHECK(histogram.quantile(1.0 / 64) == 0);
  histogram.add(std::numeric_limits<Nanoseconds>::max());
  histogram.add(-5);
  CHECK(histogram.quantile(1) == std::numeric_limits<Nanoseconds>::max());
  CHECK(histogram.quantile(1.5 / 66) == 0);
}
