#include <cmath>
#include <random>

#include "catch.h"
#include "estimate/seek_commands.h"

namespace platter::estimate {
namespace {

Sample command(Experiment experiment, std::int64_t group, double ns) {
  return {.experiment = experiment,
          .group = group,
          .blocks = 0,
          .issued_ns = 0,
          .completed_ns = static_cast<Nanoseconds>(ns)};
}

}  // namespace

TEST_CASE("a head switch takes the same, however the two directions of a seek differ") {
  constexpr double kInward_ns = 2.8e6, kSwitch_ns = 1.9e6, kScatter_ns = 30e3;
  const double outward_ns = GENERATE(2.8e6, 2.4e6, 1.6e6);
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> host(std::log(12e3), 0.7);
  std::normal_distribution<double> arrival(0, kScatter_ns);
  Samples samples;
  for (int i = 0; i < 400; ++i) {
    samples.push_back(
        command(Experiment::head_switch, 1, kSwitch_ns + arrival(random) + host(random)));
    samples.push_back(command(Experiment::seek_command, 0, host(random)));
    for (const int move : {3, -3, 9, -9})
      samples.push_back(command(Experiment::seek_command, move,
                                (move > 0 ? kInward_ns : outward_ns) + 1e4 * std::abs(move) +
                                    arrival(random) + host(random)));
  }
  const auto time = command_switch_time(samples);
  REQUIRE(time);
  const auto still = command_times(samples, true).at(0);
  CHECK(std::abs(time->value - still.value - kSwitch_ns) <
        4 * std::hypot(time->error, still.error));
}

}  // namespace platter::estimate
