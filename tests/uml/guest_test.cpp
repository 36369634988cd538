// Runs inside the guest: the true SG_IO path. The drive's first sectors hold the letters of
// sg_io.sh.
#include "guest.h"

#include <algorithm>

#include "catch.h"
#include "scsi/drive.h"

namespace platter::transport {
namespace {

using namespace guest;

TEST_CASE("bytes, sense and residual come through SG_IO as the drive gave them") {
  set_drive_time(100 * kMicrosecond);
  SgIoDevice device(device_name());
  const auto read = settled(device, scsi::read_10(1, 3, 512));
  REQUIRE(read.status == scsi::Status::good);
  REQUIRE(read.data.size() == 3 * 512);
  CHECK(read.residual == 0);
  CHECK(read.data[0] == 'B');
  CHECK(read.data[511] == 'B');
  CHECK(read.data[512] == 'C');
  CHECK(read.data[1535] == 'D');
  CHECK(read.completed_ns > read.issued_ns);

  const auto bad = must(device.execute(scsi::read_10(64 << 11, 1, 512)));
  CHECK(bad.status == scsi::Status::check_condition);
  const auto sense = scsi::decode_sense(bad.sense);
  REQUIRE(sense);
  CHECK(sense->key == scsi::SenseKey::illegal_request);
  CHECK(sense->asc == 0x21);
  CHECK(sense->ascq == 0x00);

  const auto inquiry = must(device.execute(scsi::inquiry(252)));
  CHECK(inquiry.status == scsi::Status::good);
  CHECK(inquiry.residual > 0);
  CHECK(inquiry.data.size() == 252 - inquiry.residual);
  CHECK(inquiry.data.size() == 5U + inquiry.data.at(4));

  auto short_read = scsi::read_10(1, 3, 512);
  short_read.keep_data = false;
  CHECK(must(device.execute(short_read)).data.empty());
}

TEST_CASE("a Drive identifies itself, and rewrites what it read") {
  set_drive_time(100 * kMicrosecond);
  SgIoDevice device(device_name());
  scsi::Guard guard(device, {.writes = {{8, 9}}});
  scsi::Drive drive(guard, device.name());
  const auto& identity = drive.identify();
  CHECK(identity.product == "scsi_debug");
  CHECK(identity.blocks == 64U << 11);
  CHECK(identity.block_bytes == 512);
  drive.write(8, 2);
  const auto after = drive.contents(8, 2, true);
  CHECK(after.front() == 'A' + 8);
  CHECK(after.back() == 'A' + 9);
  CHECK_THROWS_AS(drive.write(10), Error);
}

TEST_CASE("cache settings are changed for now, and restored") {
  set_drive_time(100 * kMicrosecond);
  SgIoDevice device(device_name());
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, device.name());
  drive.identify();
  const auto before = drive.settings().cache_page();
  REQUIRE(before);
  REQUIRE(
      drive.settings().set_cache(!before->write_cache_enabled, true, before->read_ahead_disabled));
  CHECK(drive.settings().cache_page()->read_cache_disabled);
  CHECK_FALSE(drive.settings().may_be_lost());
  drive.settings().restore();
  CHECK(drive.settings().cache_page()->raw == before->raw);
}

TEST_CASE("a reset is carried out and noticed") {
  SgIoDevice device(device_name());
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, device.name());
  drive.identify();
  const auto before = drive.settings().cache_page();
  REQUIRE(drive.settings().set_cache(!before->write_cache_enabled, before->read_cache_disabled,
                                     before->read_ahead_disabled));
  REQUIRE(guard.reset());
  drive.test_unit_ready();
  CHECK(drive.settings().may_be_lost());
  drive.settings().restore();
}

// The drive's own time shows in the clock: never less than asked, and a difference of 3 ms is one.
TEST_CASE("reads are timed: medians follow the drive's time") {
  SgIoDevice device(device_name());
  const auto median_ns = [&](Nanoseconds drive_time_ns) {
    set_drive_time(drive_time_ns);
    settled(device, scsi::read_10(0, 1, 512));
    std::vector<Nanoseconds> times(101);
    for (auto& time : times) time = must(device.execute(scsi::read_10(0, 1, 512))).response_ns();
    CHECK(*std::min_element(times.begin(), times.end()) >= drive_time_ns);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  Nanoseconds difference = 0;
  // Something else may have had the processor; three times in a row it had not.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto fast = median_ns(1 * kMillisecond);
    const auto slow = median_ns(4 * kMillisecond);
    WARN("medians " << to_ms(fast) << " ms and " << to_ms(slow) << " ms for 1 ms and 4 ms");
    difference = slow - fast;
    if (std::abs(difference - 3 * kMillisecond) < kMillisecond) break;
  }
  CHECK(std::abs(difference - 3 * kMillisecond) < kMillisecond);
}

TEST_CASE("an idle wait ends when it should") {
  SgIoDevice device(device_name());
  auto& clock = device.clock();
  const auto deadline = clock.now_ns() + 3 * kMillisecond;
  clock.sleep_until_ns(deadline);
  CHECK(clock.now_ns() >= deadline);
  CHECK_FALSE(*device.reap());
  CHECK_FALSE(*device.reap_until(clock.now_ns() + kMillisecond));
}

}  // namespace
}  // namespace platter::transport
