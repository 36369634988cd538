// Each imperfection has the distribution that it promises, follows from seed, time and request
// alone, and reaches the response times. Bounds are four standard errors of the statistic in
// question.
#include "virtual_drive/imperfections.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "catch.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace {

constexpr int kDraws = 40'000;
constexpr Nanoseconds kPeriod = 6 * kMillisecond;

// One value for each of kDraws requests, issued at odd times.
template <class Function>
std::vector<double> draws(Function function) {
  std::vector<double> values;
  for (int i = 0; i < kDraws; ++i) {
    const RequestKey request{static_cast<std::uint64_t>(i % 977), 1, 0x28};
    values.push_back(static_cast<double>(function(request, Nanoseconds{i} * 5'000'017)));
  }
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

template <class Predicate>
double share(const std::vector<double>& values, Predicate predicate) {
  return static_cast<double>(std::ranges::count_if(values, predicate)) /
         static_cast<double>(values.size());
}

double bound_of_share(double expected, double draws = kDraws) {
  return 4 * std::sqrt(expected * (1 - expected) / draws);
}

}  // namespace

TEST_CASE("positioning noise is Gaussian with sigma 30 us") {
  const Noise noise(default_imperfections(1), kPeriod);
  const auto values =
      draws([&](auto request, auto at) { return noise.positioning_ns(request, at); });
  const double sigma = 30e3;
  CHECK(std::abs(mean(values)) < 4 * sigma / std::sqrt(kDraws));
  CHECK(std::abs(deviation(values) - sigma) < 4 * sigma / std::sqrt(2.0 * kDraws));
  for (const auto& [beyond, expected] :
       {std::pair{1.0, 0.31731}, std::pair{1.96, 0.05}, std::pair{2.5758, 0.01}})
    CHECK(std::abs(share(values, [&, b = beyond](double v) { return std::abs(v) > b * sigma; }) -
                   expected) < bound_of_share(expected));
}

TEST_CASE("one access in a hundred is slower by an exponential delay of mean 1 ms") {
  const Noise noise(default_imperfections(1), kPeriod);
  auto values = draws([&](auto request, auto at) { return noise.media_delay_ns(request, at); });
  CHECK(std::abs(share(values, [](double v) { return v > 0; }) - 0.01) < bound_of_share(0.01));
  std::erase_if(values, [](double v) { return v == 0; });
  const auto slow = static_cast<double>(values.size());
  CHECK(std::abs(mean(values) - 1e6) < 4e6 / std::sqrt(slow));
  CHECK(std::abs(share(values, [](double v) { return v > 1e6 * std::numbers::ln2; }) - 0.5) <
        bound_of_share(0.5, slow));
}

TEST_CASE("host and bus delay is log-normal with median 12 us and p99 60 us") {
  const Noise noise(default_imperfections(1), kPeriod);
  const auto values =
      draws([&](auto request, auto at) { return noise.host_delay_ns(request, at); });
  CHECK(share(values, [](double v) { return v <= 0; }) == 0);
  CHECK(std::abs(share(values, [](double v) { return v > 12e3; }) - 0.5) < bound_of_share(0.5));
  CHECK(std::abs(share(values, [](double v) { return v > 60e3; }) - 0.01) < bound_of_share(0.01));
  // Symmetric in the logarithm: the first percentile is as far below the median.
  CHECK(std::abs(share(values, [](double v) { return v < 12e3 / 5; }) - 0.01) <
        bound_of_share(0.01));
}

TEST_CASE("the spindle wobbles by 5 ppm of its speed, in 7 s") {
  auto imperfections = default_imperfections(1);
  imperfections.random_phase = false;
  const Noise noise(imperfections, kPeriod);
  double greatest_ppm = 0, greatest_ns = 0;
  constexpr Nanoseconds kStep = 10 * kMillisecond;
  for (Nanoseconds at = 0; at < 7 * kSecond; at += kStep) {
    const auto phase = static_cast<double>(noise.phase_ns(at));
    const double rate = static_cast<double>(noise.phase_ns(at + kStep)) - phase;
    greatest_ppm = std::max(greatest_ppm, std::abs(rate) / kStep * 1e6);
    greatest_ns = std::max(greatest_ns, std::abs(phase));
    CHECK(noise.phase_ns(at) == noise.phase_ns(at + 7 * kSecond));
  }
  CHECK(greatest_ppm == Approx(5).margin(0.2));
  CHECK(greatest_ns == Approx(5e-6 * 7e9 / (2 * std::numbers::pi)).epsilon(0.001));
}

TEST_CASE("the power-on phase follows the seed, and is new in every run without one") {
  const auto phase_ns = [](std::uint64_t seed) {
    return Noise(default_imperfections(seed), kPeriod).power_on_phase_ns();
  };
  CHECK(phase_ns(7) == phase_ns(7));
  std::vector<double> of_seeds, of_runs;
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    of_seeds.push_back(static_cast<double>(phase_ns(i)) / kPeriod);
    of_runs.push_back(static_cast<double>(phase_ns(0)) / kPeriod);
  }
  // Uniform over the revolution. What entropy draws is new in every run of this test: six standard
  // errors, so that it does not fail by chance.
  for (const auto& phases : {of_seeds, of_runs}) {
    CHECK(std::abs(mean(phases) - 0.5) < 6 * std::sqrt(1 / 12.0 / 2000));
    CHECK(std::abs(share(phases, [](double p) { return p < 0.1; }) - 0.1) <
          1.5 * bound_of_share(0.1, 2000));
    CHECK(share(phases, [](double p) { return p < 0 || p >= 1; }) == 0);
  }
  auto fixed = default_imperfections(0);
  fixed.random_phase = false;
  CHECK(Noise(fixed, kPeriod).power_on_phase_ns() == 0);
}

TEST_CASE("noise is a function of seed, time and request") {
  const Noise noise(default_imperfections(1), kPeriod), same(default_imperfections(1), kPeriod);
  const Noise other(default_imperfections(2), kPeriod);
  const RequestKey read{1000, 8, 0x28};
  CHECK(noise.positioning_ns(read, 5) == same.positioning_ns(read, 5));
  CHECK(noise.host_delay_ns(read, 5) == same.host_delay_ns(read, 5));
  CHECK(noise.positioning_ns(read, 5) != other.positioning_ns(read, 5));
  CHECK(noise.positioning_ns(read, 5) != noise.positioning_ns(read, 6));
  CHECK(noise.positioning_ns(read, 5) != noise.positioning_ns({1001, 8, 0x28}, 5));
  CHECK(noise.positioning_ns(read, 5) != noise.positioning_ns({1000, 9, 0x28}, 5));
  CHECK(noise.positioning_ns(read, 5) != noise.positioning_ns({1000, 8, 0x2a}, 5));

  // Neighbours in time know nothing of each other, nor do two kinds of noise.
  double with_next = 0, with_host = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double here = static_cast<double>(noise.positioning_ns(read, i)) / 30e3;
    with_next += here * static_cast<double>(noise.positioning_ns(read, i + 1)) / 30e3;
    with_host += here * (noise.host_delay_ns(read, i) > 12'000 ? 1 : -1);
  }
  CHECK(std::abs(with_next / kDraws) < 4 / std::sqrt(kDraws));
  CHECK(std::abs(with_host / kDraws) < 4 / std::sqrt(kDraws));
}

TEST_CASE("what is not asked for is not there") {
  const Noise none(model::Imperfections{}, kPeriod);
  const RequestKey read{1000, 8, 0x28};
  for (Nanoseconds at = 0; at < kSecond; at += 7 * kMillisecond) {
    CHECK(none.positioning_ns(read, at) == 0);
    CHECK(none.media_delay_ns(read, at) == 0);
    CHECK(none.host_delay_ns(read, at) == 0);
    CHECK(none.phase_ns(at) == 0);
    CHECK(none.wake_up_ns(at) == 0);
  }
}

TEST_CASE("retries cost a revolution, in the share that is asked for") {
  model::Imperfections imperfections;
  imperfections.retry_share = 0.05;
  const Noise noise(imperfections, kPeriod);
  const auto values =
      draws([&](auto request, auto at) { return noise.media_delay_ns(request, at); });
  CHECK(std::abs(share(values, [](double v) { return v == kPeriod; }) - 0.05) <
        bound_of_share(0.05));
  CHECK(share(values, [](double v) { return v != 0 && v != kPeriod; }) == 0);
}

TEST_CASE("a thermal recalibration holds up what arrives while it lasts") {
  model::Imperfections imperfections;
  imperfections.recalibration_period_s = 30;
  imperfections.recalibration_ms = 400;
  const Noise noise(imperfections, kPeriod);
  const RequestKey read{1000, 8, 0x28};
  CHECK(noise.media_delay_ns(read, 100 * kMillisecond) == 0);  // not at power-on
  CHECK(noise.media_delay_ns(read, 30 * kSecond - 1) == 0);
  CHECK(noise.media_delay_ns(read, 30 * kSecond) == 400 * kMillisecond);
  CHECK(noise.media_delay_ns(read, 60 * kSecond + 300 * kMillisecond) == 100 * kMillisecond);
  CHECK(noise.media_delay_ns(read, 60 * kSecond + 400 * kMillisecond) == 0);
}

TEST_CASE("the first command after an idle time is slow, and only that one") {
  auto model = test_drive();
  auto& imperfections = model.imperfections.emplace();
  imperfections.slow_after_idle_s = 2;
  imperfections.slow_after_idle_ms = 50;
  VirtualDevice device(model);
  const auto ready = command({0x00, 0, 0, 0, 0, 0});
  const Nanoseconds usual = 100 * kMicrosecond;
  CHECK(run(device, ready).response_ns() == usual);
  device.clock().sleep_until_ns(device.clock().now_ns() + kSecond);
  CHECK(run(device, ready).response_ns() == usual);
  device.clock().sleep_until_ns(device.clock().now_ns() + 2 * kSecond);
  CHECK(run(device, ready).response_ns() == usual + 50 * kMillisecond);
  CHECK(run(device, ready).response_ns() == usual);
}

TEST_CASE("host delay is added around every command") {
  auto model = test_drive();
  auto& imperfections = model.imperfections.emplace();
  imperfections.host_delay_median_us = 12;
  imperfections.host_delay_p99_us = 60;
  VirtualDevice device(model);
  std::vector<double> delays;
  for (int i = 0; i < 4000; ++i)
    delays.push_back(static_cast<double>(run(device, command({0x00, 0, 0, 0, 0, 0})).response_ns() -
                                         100 * kMicrosecond));
  CHECK(std::abs(share(delays, [](double v) { return v > 12e3; }) - 0.5) <
        bound_of_share(0.5, 4000));
  CHECK(std::abs(share(delays, [](double v) { return v > 60e3; }) - 0.01) <
        bound_of_share(0.01, 4000));
}

TEST_CASE("the host stalls behind a share of the commands") {
  auto model = test_drive();
  auto& imperfections = model.imperfections.emplace();
  imperfections.host_stall_share = 0.05;
  imperfections.host_stall_mean_us = 250;
  VirtualDevice device(model);
  std::vector<double> stalls;
  constexpr int kCommands = 20000;
  for (int i = 0; i < kCommands; ++i)
    if (const Nanoseconds stall_ns = run(device, command({0x00, 0, 0, 0, 0, 0})).response_ns() -
                                     100 * kMicrosecond;
        stall_ns > 0)
      stalls.push_back(static_cast<double>(stall_ns));
  const double share = static_cast<double>(stalls.size()) / kCommands;
  CHECK(std::abs(share - 0.05) < bound_of_share(0.05, kCommands));
  CHECK(std::abs(mean(stalls) - 250e3) < 4 * 250e3 / std::sqrt(static_cast<double>(stalls.size())));
}

TEST_CASE("positioning noise reaches the times of seeks") {
  auto model = test_drive();
  VirtualDevice still(model);
  model.imperfections.emplace().positioning_sigma_us = 30;
  VirtualDevice shaky(model);
  std::vector<double> shakes;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    auto seek = command({0x2b, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    scsi::put_be(&seek.cdb[2], 4, i * 2741 % 7000);
    const Nanoseconds usual = run(still, seek).response_ns();
    shakes.push_back(static_cast<double>(run(shaky, seek).response_ns() - usual));
  }
  CHECK(std::abs(deviation(shakes) - 30e3) < 4 * 30e3 / std::sqrt(2.0 * 4000));
  CHECK(std::abs(mean(shakes)) < 4 * 30e3 / std::sqrt(4000.0));
}

TEST_CASE("slow accesses reach the response times of reads from the media") {
  auto model = test_drive();
  model.rotation.numerator_ns = 100'000;  // so fast that the latency hides little
  model.cache = {};
  VirtualDevice still(model);
  model.imperfections.emplace().slow_access_share = 0.1;
  model.imperfections->slow_access_mean_ms = 1;
  VirtualDevice slow(model);
  std::vector<double> waits;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const auto read = read_10(i * 2741 % 7000, 1);
    const Nanoseconds usual = run(still, read).response_ns();
    waits.push_back(static_cast<double>(run(slow, read).response_ns() - usual));
  }
  // The difference of two latencies, at most 0.1 ms either way, lies on each.
  const double expected = 0.1 * std::exp(-1);
  CHECK(std::abs(share(waits, [](double v) { return v > 1e6; }) - expected) <
        bound_of_share(expected, 4000));
  CHECK(std::abs(mean(waits) - 0.1e6) < 4 * std::sqrt(0.2e12 / 4000));
}

TEST_CASE("the power-on phase turns the platter") {
  // Two drives that differ in the phase alone: a read from the media waits for its sector, so the
  // difference of the completion times is the difference of the phases, modulo a revolution.
  auto model = test_drive();
  VirtualDevice nominal(model);
  model.imperfections.emplace().random_phase = true;
  model.imperfections->seed = 5;
  VirtualDevice turned(model);
  constexpr Nanoseconds kRevolution = 10 * kMillisecond;
  for (const std::uint32_t lbn : {1000u, 3000u, 5000u, 7000u}) {
    const Nanoseconds a = run(nominal, read_10(lbn, 1)).completed_ns;
    const Nanoseconds b = run(turned, read_10(lbn, 1)).completed_ns;
    const Nanoseconds lead = ((a - b) % kRevolution + kRevolution) % kRevolution;
    CHECK(std::abs(lead - turned.power_on_phase_ns()) <= 2);
  }
}

TEST_CASE("two runs with the same seed are the same; with another, or none, they are not") {
  const auto times_ns = [](std::uint64_t seed) {
    auto model = test_drive();
    model.imperfections = default_imperfections(seed);
    VirtualDevice device(model);
    std::vector<Nanoseconds> times;
    for (std::uint32_t i = 0; i < 300; ++i)
      times.push_back(run(device, read_10(i * 2741 % 7000, 1)).completed_ns);
    return times;
  };
  CHECK(times_ns(9) == times_ns(9));
  CHECK(times_ns(9) != times_ns(10));
  CHECK(times_ns(0) != times_ns(0));
}

TEST_CASE("the seed that a run has taken is in its truth") {
  auto model = test_drive();
  model.imperfections = default_imperfections();
  const VirtualDevice device(model);
  REQUIRE(device.truth().imperfections->seed != 0);
  const VirtualDevice again(device.truth());
  CHECK(again.power_on_phase_ns() == device.power_on_phase_ns());
}

TEST_CASE("BUSY and unit attentions turn their share of the commands away, without any effect") {
  auto model = test_drive();
  model.imperfections = model::Imperfections{};
  model.imperfections->busy_share = 0.1;
  model.imperfections->unit_attention_share = 0.05;
  VirtualDevice device(model), again(model);
  constexpr int kCommands = 8000;
  int busy = 0, attentions = 0;
  for (int i = 0; i < kCommands; ++i) {
    const std::vector<std::uint8_t> data(512, static_cast<std::uint8_t>(i));
    const auto write = write_10(static_cast<std::uint32_t>(i % 7297), data);
    const auto before = device.clock().now_ns();
    const auto done = run(device, write);
    REQUIRE(run(again, write).completed_ns == done.completed_ns);  // seed, time and command alone
    if (done.status == scsi::Status::good) continue;
    REQUIRE(done.residual == 512);
    if (done.status == scsi::Status::busy) {
      ++busy;
      REQUIRE(done.completed_ns > before);
    } else {
      ++attentions;
      REQUIRE(sense_of(done) == 0x63f03);
    }
    for (;;) {  // what lies there is what lay there before
      const auto read = run(device, read_10(static_cast<std::uint32_t>(i % 7297), 1));
      run(again, read_10(static_cast<std::uint32_t>(i % 7297), 1));
      if (read.status != scsi::Status::good) continue;
      REQUIRE((i >= 7297 || read.data != data || data[0] == 0));
      break;
    }
  }
  REQUIRE(std::abs(busy / double{kCommands} - 0.1) < bound_of_share(0.1, kCommands));
  REQUIRE(std::abs(attentions / double{kCommands} - 0.9 * 0.05) < bound_of_share(0.045, kCommands));
}

TEST_CASE("what tells the host what is the matter is never turned away") {
  auto model = test_drive();
  model.imperfections = model::Imperfections{};
  model.imperfections->busy_share = 0.5;
  model.imperfections->unit_attention_share = 0.9;
  VirtualDevice device(model);
  for (int i = 0; i < 200; ++i) {
    REQUIRE(sense_of(run(device, command({0x12, 0, 0, 0, 36, 0}, 36))) == 0);
    REQUIRE(sense_of(run(device, command({0x03, 0, 0, 0, 18, 0}, 18))) == 0);
  }
}

TEST_CASE("a unit attention between SEND and RECEIVE DIAGNOSTIC leaves the answer where it was") {
  auto model = test_drive();
  model.imperfections = model::Imperfections{};
  model.imperfections->unit_attention_share = 0.5;
  VirtualDevice device(model);
  std::vector<std::uint8_t> list{0x40, 0, 0, 0x0a, 0, 5, 0, 0, 0, 33, 0, 0, 0, 0};
  while (sense_of(run(device, command_with({0x1d, 0x10, 0, 0, 14, 0}, list))) != 0) continue;
  const auto receive = command({0x1c, 1, 0x40, 0, 64, 0}, 64);
  scsi::Completion done;
  do {
    done = run(device, receive);
  } while (sense_of(done) == 0x63f03);
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.data.size() == 14);
}

// What TEST UNIT READY takes behind a rest.
Nanoseconds ready_after_ns(VirtualDevice& device, Nanoseconds rest_ns) {
  device.clock().sleep_until_ns(device.clock().now_ns() + rest_ns);
  return run(device, command({0x00, 0, 0, 0, 0, 0})).response_ns();
}

TEST_CASE("a background scan delays what comes after an idle time, until page 1Ch/01h stops it") {
  auto model = test_drive();
  model.imperfections.emplace().background_scan_idle_ms = 500;
  model.imperfections->background_scan_step_ms = 40;
  VirtualDevice device(model);
  const Nanoseconds usual = 100 * kMicrosecond;
  const auto after_rest_ns = [&](Nanoseconds rest_ns) { return ready_after_ns(device, rest_ns); };
  CHECK(after_rest_ns(400 * kMillisecond) == usual);
  std::vector<double> delays;
  for (int i = 0; i < 200; ++i)
    delays.push_back(static_cast<double>(after_rest_ns(kSecond) - usual));
  CHECK(std::ranges::max(delays) < 40e6);
  CHECK(std::abs(share(delays, [](double v) { return v > 20e6; }) - 0.5) <
        bound_of_share(0.5, 200));

  auto page = run(device, command({0x1a, 0x08, 0x1c, 0x01, 255, 0}, 255)).data;
  REQUIRE(page.size() == 4 + 16);
  REQUIRE(page[4 + 4] == 0x01);
  page[0] = page[2] = 0;
  page[4 + 4] = 0;
  run(device, command_with({0x15, 0x10, 0, 0, 20, 0}, page));
  for (int i = 0; i < 50; ++i) CHECK(after_rest_ns(kSecond) == usual);
  REQUIRE(device.reset());  // brings it back
  after_rest_ns(0);
  CHECK(after_rest_ns(kSecond) > usual);
}

TEST_CASE("the idle condition is left with a delay, until page 1Ah forbids it") {
  auto model = test_drive();
  model.imperfections.emplace().idle_condition_s = 1.5;
  model.imperfections->idle_condition_ms = 300;
  VirtualDevice device(model);
  const auto after_rest_ns = [&](Nanoseconds rest_ns) { return ready_after_ns(device, rest_ns); };
  const Nanoseconds usual = 100 * kMicrosecond;
  CHECK(after_rest_ns(kSecond) == usual);
  CHECK(after_rest_ns(2 * kSecond) == usual + 300 * kMillisecond);
  auto page = run(device, command({0x1a, 0x08, 0x1a, 0, 255, 0}, 255)).data;
  REQUIRE(page.size() == 4 + 40);
  CHECK(scsi::get_be32(&page[4 + 4]) == 15);
  page[0] = page[2] = 0;
  page[4 + 3] = 0;
  run(device, command_with({0x15, 0x10, 0, 0, 44, 0}, page));
  CHECK(after_rest_ns(10 * kSecond) == usual);
}
