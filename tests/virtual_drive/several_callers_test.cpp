// Several callers of one drive, whose commands are outstanding together.

#include "scsi/several_callers.h"

#include <functional>
#include <stdexcept>
#include <vector>

#include "catch.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace several_callers {
namespace {

// Two arms, each with a zone of its own, and a host that is noticed late.
model::DriveModel two_arms() {
  auto drive = spc4_drive();
  drive.layout.skips.clear();
  drive.layout.remaps.clear();
  drive.layout.zones[1].cylinder = 0;
  drive.layout.zones[1].head = 4;
  drive.cache = {};
  const std::uint64_t blocks = 60 * 4 * 20, all = blocks + 40 * 4 * 16;
  drive.arms = model::Arms{.ranges = {{0, blocks - 1, 0}, {blocks, all - 1, 1}},
                           .interference = value(0)};
  drive.imperfections = model::Imperfections{};
  drive.imperfections->seed = 3;
  drive.imperfections->host_delay_median_us = 20;
  drive.imperfections->host_delay_p99_us = 200;
  return drive;
}

constexpr int kReads = 40;

struct Reader {
  scsi::Device& device;
  std::uint32_t first;
  std::vector<Nanoseconds> came{};

  void read() {
    for (std::uint32_t i = 0; i < kReads; ++i)
      came.push_back(device.execute(read_10(first + i * 211 % 2500, 1)).value().completed_ns);
  }
};

struct Ran {
  std::vector<Nanoseconds> first, second;
  Nanoseconds took_ns = 0;
};

Ran both(bool at_once) {
  VirtualDevice drive(two_arms());
  scsi::SeveralCallers callers(drive);
  Reader a{callers, 0}, b{callers, 4800};
  const Nanoseconds began_ns = callers.clock().now_ns();
  if (at_once) {
    callers.run({[&] { a.read(); }, [&] { b.read(); }});
  } else {
    a.read();
    b.read();
  }
  return {a.came, b.came, callers.clock().now_ns() - began_ns};
}

}  // namespace

TEST_CASE("what two callers ask of two arms takes the time of one, and is the same each time") {
  const Ran one_by_one = both(false), at_once = both(true), again = both(true);
  REQUIRE(at_once.first.size() == kReads);
  REQUIRE(at_once.second.size() == kReads);
  CHECK(at_once.took_ns < one_by_one.took_ns * 6 / 10);
  CHECK(at_once.first == again.first);
  CHECK(at_once.second == again.second);
}

TEST_CASE("one caller's rest is no rest of another's") {
  VirtualDevice drive(two_arms());
  scsi::SeveralCallers callers(drive);
  Reader reader{callers, 0};
  Nanoseconds woke_ns = 0;
  constexpr Nanoseconds kUntil = 100 * kMillisecond;
  callers.run({[&] {
                 callers.clock().sleep_until_ns(kUntil);
                 woke_ns = callers.clock().now_ns();
               },
               [&] { reader.read(); }});
  CHECK(woke_ns >= kUntil);
  CHECK(woke_ns < kUntil + 25 * kMillisecond);
  REQUIRE(reader.came.size() == kReads);
  CHECK(reader.came.front() < kUntil);
  CHECK(reader.came.back() < 2 * kSecond);
}

TEST_CASE("what one caller throws ends the others, and leaves nothing outstanding") {
  VirtualDevice drive(two_arms());
  scsi::SeveralCallers callers(drive);
  Reader reader{callers, 4800};
  const auto fails = [&] {
    (void)callers.execute(read_10(7, 1));
    throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH(callers.run({fails, [&] { reader.read(); }}), "enough");
  CHECK(reader.came.size() < kReads);
  CHECK_FALSE(drive.reap().value());
  CHECK(callers.execute(read_10(9, 1)));  // as it is, again
}

}  // namespace several_callers
