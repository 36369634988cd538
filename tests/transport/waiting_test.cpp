// Waiting for an instant on hosts of several kinds, which are simulated here: how late their sleeps
// end, and what a look at their clock takes.
#include "transport/waiting.h"

#include <functional>
#include <random>

#include "catch.h"

using namespace platter;
using transport::SleepPunctuality;

namespace {

struct Host {
  Nanoseconds time_ns = 0, look_ns = 20;
  std::uint64_t looks = 0, sleeps = 0;
  std::function<Nanoseconds()> late_ns = [] { return 0; };
  bool is_signalled = false;  // in the middle of every sleep

  Nanoseconds now_ns() {
    ++looks;
    return time_ns += look_ns;
  }
  void sleep_ns(Nanoseconds length_ns) {
    REQUIRE(length_ns > 0);
    ++sleeps;
    time_ns += is_signalled ? length_ns / 2 : length_ns + late_ns();
  }
};

// How late a wait ended.
Nanoseconds wait(Host& host, SleepPunctuality& punctuality, Nanoseconds length_ns) {
  const Nanoseconds deadline_ns = host.time_ns + length_ns;
  transport::wait_until_ns(host, deadline_ns, punctuality);
  REQUIRE(host.time_ns >= deadline_ns);
  return host.time_ns - deadline_ns;
}

}  // namespace

TEST_CASE("On an ordinary host every wait ends by spinning, in time") {
  std::mt19937 random(1);
  Host host;
  host.late_ns = [&] { return 3 * kMicrosecond + static_cast<Nanoseconds>(random() % 140'000); };
  SleepPunctuality punctuality;
  for (int i = 0; i < 1000; ++i)
    REQUIRE(wait(host, punctuality, static_cast<Nanoseconds>(random() % 3'000'000)) <=
            host.look_ns);
  CHECK(punctuality.spin_ns() == SleepPunctuality::kSpin);
}

TEST_CASE("Where sleeps end in time, waits end without spinning after a few of them") {
  Host host;
  host.look_ns = 256;  // of user-mode Linux in simulated time
  host.late_ns = [] { return 1; };
  SleepPunctuality punctuality;
  for (int i = 0; i < SleepPunctuality::kEnough; ++i) wait(host, punctuality, kMillisecond);
  const auto looks_before = host.looks;
  constexpr int kWaits = 1000;
  for (int i = 0; i < kWaits; ++i)
    REQUIRE(wait(host, punctuality, kMillisecond) <= SleepPunctuality::kInTime);
  CHECK(host.looks - looks_before <= 4 * kWaits);
}

TEST_CASE("A wait that is shorter than the spin sleeps, too, where sleeps end in time") {
  Host host;
  SleepPunctuality punctuality;
  for (int i = 0; i < SleepPunctuality::kEnough; ++i) wait(host, punctuality, kMillisecond);
  const auto sleeps_before = host.sleeps;
  wait(host, punctuality, 40 * kMicrosecond);
  CHECK(host.sleeps == sleeps_before + 1);
}

TEST_CASE("One sleep that ends late brings spinning back, until as many again end in time") {
  Host host;
  SleepPunctuality punctuality;
  for (int i = 0; i < SleepPunctuality::kEnough; ++i) wait(host, punctuality, kMillisecond);
  REQUIRE(punctuality.spin_ns() == 0);
  host.late_ns = [] { return 30 * kMicrosecond; };
  CHECK(wait(host, punctuality, kMillisecond) >= 30 * kMicrosecond);  // nobody can know
  CHECK(punctuality.spin_ns() == SleepPunctuality::kSpin);
  CHECK(wait(host, punctuality, kMillisecond) <= host.look_ns);
  host.late_ns = [] { return 0; };
  for (int i = 1; i < SleepPunctuality::kEnough; ++i) wait(host, punctuality, kMillisecond);
  CHECK(punctuality.spin_ns() == SleepPunctuality::kSpin);
  wait(host, punctuality, kMillisecond);
  CHECK(punctuality.spin_ns() == 0);
}

TEST_CASE("A sleep that a signal ends early is gone on with, and says nothing of punctuality") {
  Host host;
  host.is_signalled = true;
  SleepPunctuality punctuality;
  for (int i = 0; i < 3 * SleepPunctuality::kEnough; ++i)
    REQUIRE(wait(host, punctuality, kMillisecond) <= host.look_ns);
  CHECK(punctuality.spin_ns() == SleepPunctuality::kSpin);
}

TEST_CASE("Sleeps too short to be real ones say nothing of punctuality") {
  Host host;
  SleepPunctuality punctuality;
  for (int i = 0; i < 3 * SleepPunctuality::kEnough; ++i)
    wait(host, punctuality, SleepPunctuality::kSpin + 10 * kMicrosecond);
  CHECK(host.sleeps > 0);
  CHECK(punctuality.spin_ns() == SleepPunctuality::kSpin);
}

TEST_CASE("An instant that has passed is not waited for") {
  Host host;
  SleepPunctuality punctuality;
  transport::wait_until_ns(host, -1, punctuality);
  CHECK(host.sleeps == 0);
}
