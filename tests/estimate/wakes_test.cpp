#include "estimate/wakes.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::estimate {
namespace {

constexpr double kPeriod_ns = 8.3e6;

// A drive that is ready so long behind the command; the block passes at any phase then.
Sample behind_rest(std::int64_t group, double ready_ns, double phase_rev) {
  Sample sample;
  sample.experiment = Experiment::wake;
  sample.group = group;
  sample.issued_ns = 1'000'000;
  sample.completed_ns = sample.issued_ns +
                        static_cast<Nanoseconds>(ready_ns + phase_rev * kPeriod_ns);
  return sample;
}

}  // namespace

TEST_CASE("wake times lie between the least answer and the longest less a revolution") {
  std::mt19937_64 random(3);
  const auto drawn = [&random] { return std::ldexp(static_cast<double>(random() >> 11), -53); };
  int within = 0, all = 0;
  for (int round = 0; round < 300; ++round) {
    Samples samples;
    for (int i = 0; i < 10; ++i) samples.push_back(behind_rest(0, 0.4e6, drawn()));
    const double scatter_ns = round % 3 == 0 ? 0 : round % 3 == 1 ? 1e6 : 60e6;
    for (int i = 0; i < 5; ++i)
      samples.push_back(behind_rest(2, 900e6 + scatter_ns * (drawn() + drawn() - 1), drawn()));
    const auto wakes = estimate_wakes(samples, kPeriod_ns);
    CHECK_FALSE(is_there(wakes[0]));
    REQUIRE(wakes[1].value);
    CHECK(wakes[1].samples == 5);
    ++all;
    within += std::abs(*wakes[1].value - 899.6) < 3 * *wakes[1].error;
  }
  CHECK(within >= 0.95 * all);
}

TEST_CASE("a drive that answers as an awake one has no wake time but a bound") {
  Samples samples;
  for (const double phase : {0.01, 0.3, 0.5, 0.7, 0.99}) {
    samples.push_back(behind_rest(0, 0.4e6, phase));
    samples.push_back(behind_rest(1, 0.4e6, phase));
  }
  const auto wakes = estimate_wakes(samples, kPeriod_ns);
  CHECK_FALSE(wakes[0].value);
  CHECK(*wakes[0].at_most < 1);
  CHECK(wakes[0].reason.find("as soon as from an awake drive") != std::string::npos);
  CHECK_FALSE(is_there(estimate_wakes({samples[1]}, kPeriod_ns)[0]));  // nothing to hold it against
}

}  // namespace platter::estimate
