// Clocks, lateness, the transport's delay.
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "emulator/pace/lateness.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/transport_delay.h"

using namespace platter;
using namespace platter::emulator;

TEST_CASE("the drive's clock runs as many times as fast as it should", "[pace]") {
  const DriveClock clock(1'000, 7);
  CHECK(clock.drive_ns(1'000) == 0);
  CHECK(clock.drive_ns(1'003) == 21);
  // The host's instant is the first at which the drive's time has come, never one before.
  for (Nanoseconds drive_ns = 0; drive_ns < 100; ++drive_ns) {
    const Nanoseconds host_ns = clock.host_ns(drive_ns);
    CHECK(clock.drive_ns(host_ns) >= drive_ns);
    CHECK((drive_ns == 0 || clock.drive_ns(host_ns - 1) < drive_ns));
  }
}

TEST_CASE("a sleep does not end before its time", "[pace]") {
  run_without_slack();
  for (const Nanoseconds length : {Nanoseconds{-5}, Nanoseconds{0}, 300 * kMicrosecond}) {
    const Nanoseconds until = host_now_ns() + length;
    sleep_until_host_ns(until);
    CHECK(host_now_ns() >= until);
  }
}

TEST_CASE("what the host refuses for real time is said", "[pace]") {
  const auto refused = ask_for_real_time();
  CHECK(refused.size() <= 3);
  for (const auto& sentence : refused) CHECK(sentence.find(": ") != std::string::npos);
}

TEST_CASE("lateness: shares of the model's time, and who is late by how much", "[lateness]") {
  Lateness lateness;
  CHECK(lateness.text() == "no request was answered");
  lateness.add(10 * kMillisecond, 49 * kMicrosecond);    // within 0.5 %, late by 20 us
  lateness.add(10 * kMillisecond, -50 * kMicrosecond);   // early is as wrong as late, but not late
  lateness.add(10 * kMillisecond, 200 * kMicrosecond);   // within 2 %, late by 60
  lateness.add(10 * kMillisecond, -201 * kMicrosecond);  // beyond
  lateness.add(10 * kMillisecond, 1'001 * kMicrosecond);
  const auto told = nlohmann::json::parse(lateness.json());
  CHECK(told["answers"] == 5);
  CHECK(told["share_within_half_percent"] == 0.4);
  CHECK(told["share_within_2_percent"] == 0.6);
  CHECK(told["late_by_20_us"] == 3);
  CHECK(told["late_by_60_us"] == 2);
  CHECK(told["late_by_1_ms"] == 1);
  CHECK(told["error_median_us"].get<double>() == Approx(200).epsilon(1 / 32.0));
  CHECK(told["error_max_us"] == 1001);
}

TEST_CASE("the transport's delay is the median of the latest, once there are enough", "[delay]") {
  TransportDelay delay;
  const auto add = [&](Nanoseconds in_ns, Nanoseconds out_ns) {
    delay.add({0, false, in_ns}, {0, false, out_ns});
  };
  for (std::size_t i = 0; i + 1 < TransportDelay::kEnough; ++i) add(60'000, 50'000);
  CHECK_FALSE(delay.is_known());
  CHECK(delay.inbound_ns() == 0);
  CHECK(delay.outbound_ns() == 0);
  add(10'000'000, 20'000'000);  // one wake-up that took its time changes nothing
  CHECK(delay.is_known());
  CHECK(delay.inbound_ns() == 60'000);
  CHECK(delay.outbound_ns() == 50'000);
  for (std::size_t i = 0; i < TransportDelay::kRemembered; ++i)
    add(static_cast<Nanoseconds>(i), static_cast<Nanoseconds>(1'000 + i));
  CHECK(delay.inbound_ns() == 31);
  CHECK(delay.outbound_ns() == 1'031);
}

TEST_CASE("the transport's delay grows with the data, and is less to the awake", "[delay]") {
  TransportDelay delay;
  const auto add = [&](std::size_t at, bool awake, Nanoseconds out_ns) {
    for (std::size_t i = 0; i < TransportDelay::kEnough; ++i)
      delay.add({0, awake, 1'000}, {at, awake, out_ns});
  };
  add(1, false, 50'000);
  CHECK(delay.outbound_ns(1 << 20) == 50'000);  // one size says nothing of others
  CHECK(delay.outbound_ns(4096, true) == 50'000);
  add(3, false, 350'000);
  CHECK(delay.outbound_ns(4096) == 50'000);
  CHECK(delay.outbound_ns(1 << 20) == 350'000);
  CHECK(delay.outbound_ns((4096 + (1 << 20)) / 2) == 200'000);
  CHECK(delay.outbound_ns(2 << 20) == Approx(651'177).margin(2));
  add(1, true, 20'000);
  CHECK(delay.outbound_ns(4096, true) == 20'000);
  CHECK(delay.outbound_ns(4096, false) == 50'000);
}
