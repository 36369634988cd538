#include "virtual_drive/host_time.h"

#include <algorithm>

#include "catch.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace {

model::Imperfections uneven() {
  model::Imperfections imperfections;
  imperfections.host_sleep_every_s = 25;
  imperfections.host_sleep_s = 5;
  imperfections.clock_step_every_s = 10;
  imperfections.clock_step_ms = 1;
  imperfections.host_stop_every_s = 40;
  imperfections.host_stop_s = 3;
  return imperfections;
}

}  // namespace

TEST_CASE("host time: without imperfections it is the drive's") {
  HostTime host({}, 5);
  for (const Nanoseconds time : {Nanoseconds{0}, kSecond, 4000 * kSecond}) {
    CHECK(host.shown_ns(time) == time);
    CHECK(host.with_sleep_ns(time) == time);
    CHECK(host.noticed_ns(time) == time);
    CHECK(host.drive_ns(time, 0) == time);
  }
}

TEST_CASE("host time: it sleeps, steps and stops about as often and as long as it is told to") {
  HostTime host(uneven(), 5);
  constexpr Nanoseconds kEnd = 100'000 * kSecond;
  const double steps = to_ms(host.with_sleep_ns(kEnd) - kEnd);
  CHECK(steps == Approx(10'000).epsilon(0.03));
  const double slept = to_ms(host.with_sleep_ns(kEnd) - host.shown_ns(kEnd)) / to_ms(kEnd);
  CHECK(slept == Approx(5.0 / 30).epsilon(0.05));
  Nanoseconds late = 0;
  constexpr Nanoseconds kStep = kSecond / 4;
  for (Nanoseconds time = 0; time < kEnd / 10; time += kStep)
    late += host.noticed_ns(time) > time ? kStep : 0;
  CHECK(to_ms(late) / to_ms(kEnd / 10) == Approx(5.0 / 30 + 3.0 / 43).epsilon(0.15));
}

TEST_CASE("host time: its clock never goes back, and stands still while it sleeps") {
  HostTime host(uneven(), 6);
  Nanoseconds before = 0, stands = 0;
  for (Nanoseconds time = 0; time < 1000 * kSecond; time += kSecond / 50) {
    const Nanoseconds shown = host.shown_ns(time);
    CHECK(shown >= before);
    stands += shown == before ? 1 : 0;
    before = shown;
    const Nanoseconds again = host.drive_ns(shown + kSecond / 2, time);
    CHECK(host.shown_ns(again) >= shown + kSecond / 2);
    CHECK(host.noticed_ns(again) == again);
  }
  CHECK(stands > 50);
}

TEST_CASE("host time: a sleeping host's drive turns on, and its answer is noticed at the end") {
  model::DriveModel model = test_drive();
  model.imperfections = uneven();
  model.imperfections->seed = 9;
  VirtualDevice device(model);
  scsi::Clock& clock = device.clock();
  Nanoseconds asleep = 0, longest = 0;
  for (int i = 0; i < 40'000; ++i) {
    const Nanoseconds before = clock.now_ns();
    const auto done = device.execute(read_10(static_cast<std::uint32_t>(i % 100), 1, true));
    REQUIRE(done);
    CHECK(done->issued_ns == before);
    CHECK(done->completed_ns == clock.now_ns());
    longest = std::max(longest, done->response_ns());
    clock.sleep_until_ns(clock.now_ns() + kMillisecond);
    asleep = clock.with_sleep_ns() - clock.now_ns();
  }
  CHECK(asleep > 10 * kSecond);
  CHECK(longest > kSecond);  // stopped meanwhile
}
