#include "noise/host_delay.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace platter::noise {
namespace {

std::vector<double> log_normal(double median_ms, double p99_ms, std::size_t count,
                               std::uint64_t seed) {
  constexpr double kZ99 = 2.3263;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> gauss(0, std::log(p99_ms / median_ms) / kZ99);
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(0.2 + median_ms * std::exp(gauss(random)));
  return times;
}

}  // namespace

TEST_CASE("What a number is unsure by is what the mean of one way exceeds the clipped one by") {
  CHECK(HostDelay({1, 1, 1, 1}).unsure_ms(0.03) == 0);
  CHECK(HostDelay({1, 1, 1, 1.02}).unsure_ms(0.03) == Approx(0).margin(1e-6));  // nothing is
                                                                                // clipped
  // One of four is 2 ms late: it pulls by 0.03 ms at most, and the three lie 0.01 ms below.
  CHECK(HostDelay({1, 1, 1, 5}).unsure_ms(0.03) == Approx(0.5 - 0.01).epsilon(1e-3));
  // Of a log-normal delay whose tail nothing follows the mean less the median, of one way.
  const double sigma = std::log(10) / 2.3263;
  const HostDelay host(log_normal(0.05, 0.5, 20'000, 1));
  const double expected_ms = 0.05 * (std::exp(sigma * sigma / 2) - 1) / 2;
  CHECK(host.unsure_ms(1e-3) == Approx(expected_ms).epsilon(0.1));
  CHECK(host.unsure_ms(0.03) < host.unsure_ms(0.01));
}

TEST_CASE("The share of round trips beyond the median by a time") {
  const HostDelay host({1, 2, 3, 4, 5});
  CHECK(host.share_beyond(0) == 0.4);
  CHECK(host.share_beyond(1.5) == 0.2);
  CHECK(host.share_beyond(2) == 0);
}

TEST_CASE("The spread of one way is half of the round trips'") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> gauss(1, 0.1);
  std::vector<double> times;
  for (int i = 0; i < 20'000; ++i) times.push_back(gauss(random));
  CHECK(HostDelay(times).spread_ms() == Approx(0.05).epsilon(0.05));
}

TEST_CASE("A quiet host is not talked of, a noisy one is, and one that is too noisy by that name") {
  constexpr double kPeriod_ms = 6;
  CHECK_FALSE(host_delay({1, 2, 3}));
  CHECK_FALSE(told(HostDelay(log_normal(0.012, 0.06, 400, 2)), kPeriod_ms, 0.03));
  const auto noisy = told(HostDelay(log_normal(0.05, 1, 400, 3)), kPeriod_ms, 0.03);
  REQUIRE(noisy);
  CHECK(noisy->starts_with("the host is noisy: of 400 commands"));
  const auto too_noisy = told(HostDelay(log_normal(0.2, 4, 400, 4)), kPeriod_ms, 0.03);
  REQUIRE(too_noisy);
  CHECK(too_noisy->starts_with("the host is too noisy: "));
  CHECK(too_noisy->ends_with("measure on an idle host, or with --quiet-host"));
}

TEST_CASE("Before a run it is told for what a host is quiet enough") {
  constexpr double kPeriod_ms = 6, kMost_ms = 0.03;
  const HostDelay quiet(log_normal(0.012, 0.06, 400, 2)), noisy(log_normal(0.05, 1, 400, 3)),
      too_noisy(log_normal(0.2, 4, 400, 4));
  CHECK(quietness(quiet, kPeriod_ms, kMost_ms) == Quietness::quiet);
  CHECK(enough_for(quiet, kPeriod_ms, kMost_ms).starts_with("quiet enough for all"));
  CHECK(quietness(noisy, kPeriod_ms, kMost_ms) == Quietness::noisy);
  CHECK(enough_for(noisy, kPeriod_ms, kMost_ms).starts_with("noisy: quiet enough for layout"));
  CHECK(quietness(too_noisy, kPeriod_ms, kMost_ms) == Quietness::too_noisy);
  CHECK(enough_for(too_noisy, kPeriod_ms, kMost_ms).starts_with("too noisy: enough for layout"));
  // The same host is quiet enough for a slower drive.
  CHECK(quietness(too_noisy, 1000, kMost_ms) == Quietness::noisy);
}

TEST_CASE("Where the kernel's stamps divide the delay, it is told which part the noise is in") {
  constexpr double kPeriod_ms = 6;
  const std::vector<double> quiet(400, 0.03), noisy = log_normal(0.2, 4, 400, 4),
                                              as_noisy = log_normal(0.2, 4, 400, 5);
  const auto ends = [&](std::vector<double> above, std::vector<double> behind) {
    const std::string sentence = told(HostDelay(noisy), kPeriod_ms, 0.03,
                                      host_shares(std::move(above), std::move(behind)))
                                     .value();
    return sentence.substr(sentence.find("the noise is"));
  };
  CHECK(ends(noisy, quiet) ==
        "the noise is in the host's software, above the kernel's dispatch to the adapter");
  CHECK(ends(quiet, noisy) ==
        "the noise is behind the kernel's dispatch, in adapter, link or drive");
  CHECK(ends(noisy, as_noisy) ==
        "the noise is on both sides of the kernel's dispatch to the adapter");
  CHECK(told(HostDelay(noisy), kPeriod_ms, 0.03)->find("the noise is") == std::string::npos);
  CHECK_FALSE(host_shares({1, 2, 3}, {1, 2, 3}));
}

TEST_CASE("A change of the host's delay during the run is told, chance is not") {
  std::vector<std::vector<double>> alike;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    alike.push_back(log_normal(0.012, 0.06, 24, seed));
  CHECK_FALSE(told_changes(alike));
  auto later = alike;
  for (double& ms : later.back()) ms += 0.08;
  CHECK(told_changes(later));
}

}  // namespace platter::noise
