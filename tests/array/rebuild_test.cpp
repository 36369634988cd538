#include "array/rebuild.h"

#include "catch.h"
#include "model/units.h"

using platter::Nanoseconds;
using platter::array::RebuildPace;
using platter::array::RebuildRate;
using Turn = RebuildPace::Turn;

namespace {

constexpr RebuildRate kRate{.window_bytes = 4096, .tick_ns = 10'000'000};

void rebuild(RebuildPace& pace, std::uint64_t bytes) {
  pace.asked(bytes);
  pace.done(bytes);
}

}  // namespace

TEST_CASE("a rebuild's speed is counted from its begin, not from the trace's") {
  RebuildPace pace(kRate, 2);
  pace.begin(1000 * platter::kSecond);
  rebuild(pace, kRate.most_bytes_per_s * 2);
  CHECK(pace.turn(1000 * platter::kSecond) == Turn::sleep);
}

TEST_CASE("a rebuild waits until all is done once others moved more than 32 KiB on a member") {
  RebuildPace pace(kRate, 2);
  pace.begin(0);
  rebuild(pace, kRate.least_bytes_per_s * 2);
  CHECK(pace.turn(0) == Turn::ask);
  pace.ended(1, 32 * 1024);
  pace.asked(4096);
  CHECK(pace.turn(0) == Turn::ask);
  pace.ended(1, 512);
  pace.asked(4096);
  CHECK(pace.turn(0) == Turn::wait);
  pace.done(4096);
  CHECK(pace.turn(0) == Turn::wait);
  pace.done(4096);
  CHECK(pace.turn(0) == Turn::ask);
}

TEST_CASE("what a rebuild itself moves counts as nobody else's") {
  RebuildPace pace(kRate, 2);
  pace.begin(0);
  rebuild(pace, kRate.least_bytes_per_s * 2);
  pace.issued(0, 64 * 1024);
  pace.ended(0, 64 * 1024);
  pace.asked(4096);
  CHECK(pace.turn(0) == Turn::ask);
}

TEST_CASE("a tick's sleep ends at the second of the kernel's ticks from now") {
  RebuildPace pace(kRate, 2);
  pace.begin(0);
  pace.sleep_for_a_tick(19'999'999);
  CHECK(pace.wakes_ns() == 30'000'000);
  CHECK(pace.turn(20'000'000) == Turn::sleep);
  pace.wake();
  CHECK(pace.turn(30'000'000) == Turn::ask);
}
