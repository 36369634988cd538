// Runs inside the guest of disks.sh, on one of its disks: VERIFY, FUA and settings through SG_IO,
// as a stock kernel and QEMU answer them. PLATTER_TEST_DEVICE names the node; PLATTER_TEST_FUA=no
// says that READ with FUA is refused there.
#include <cstdlib>
#include <string>

#include "catch.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "transport/sg_io.h"

namespace platter {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE(value);
  return value;
}

// Permission for settings alone: no test here can write a block.
struct Disk {
  transport::SgIoDevice device{environment("PLATTER_TEST_DEVICE")};
  scsi::Guard guard{device, {}};
  scsi::Drive drive{guard, device.name()};
  Disk() { drive.identify(); }

  scsi::Completion execute(const scsi::Command& command) {
    auto done = guard.execute(command);
    if (!done) FAIL(done.error().sentence);
    return *done;
  }
  bool is_ata() { return drive.settings().ata().has_value(); }
  std::vector<std::uint8_t> cache_page() { return drive.settings().cache_page().value().raw; }
};

void check_nothing_came(const scsi::Completion& done) {
  CHECK(done.status == scsi::Status::good);
  CHECK(done.data.empty());
  CHECK(done.residual == 0);
  CHECK(done.completed_ns > done.issued_ns);
}

void check_out_of_range(const scsi::Completion& done) {
  CHECK(done.status == scsi::Status::check_condition);
  const auto sense = scsi::decode_sense(done.sense);
  REQUIRE(sense);
  CHECK(sense->key == scsi::SenseKey::illegal_request);
  CHECK(sense->asc == 0x21);
  CHECK(sense->ascq == 0x00);
}

TEST_CASE("VERIFY(10) and VERIFY(16) are answered, and send no data") {
  Disk disk;
  const std::uint64_t last = disk.drive.blocks() - 1;
  for (const auto verify : {scsi::verify_10, scsi::verify_16}) {
    check_nothing_came(disk.execute(verify(0, 1)));
    check_nothing_came(disk.execute(verify(last, 1)));
    check_nothing_came(disk.execute(verify(last - 255, 256)));
    if (disk.is_ata()) check_out_of_range(disk.execute(verify(last + 1, 1)));
  }
  disk.drive.verify(last / 2, 8);
}

// libata leaves it to the drive, where it is an error with all that follows on the link.
TEST_CASE("a SCSI disk refuses a read past its end, with the sense data of the standard") {
  Disk disk;
  if (disk.is_ata()) return;
  const std::uint64_t beyond = disk.drive.blocks();
  check_out_of_range(disk.execute(scsi::read_10(beyond, 1, disk.drive.block_bytes())));
}

TEST_CASE("READ with FUA is answered, or refused as what the drive does not know") {
  Disk disk;
  if (environment("PLATTER_TEST_FUA") == "yes") {
    CHECK(disk.drive.contents(0, 1, true).size() == disk.drive.block_bytes());
    return;
  }
  try {
    disk.drive.read(0, 1, true);
    FAIL("it was answered");
  } catch (const scsi::DriveError& error) {
    CHECK(error.refused());
    CHECK(error.status() == ExitStatus::unsupported);
    CHECK(error.sense->asc == 0x24);
  }
}

TEST_CASE("the write cache is switched by mode page 08h, and put back byte by byte") {
  Disk disk;
  auto& settings = disk.drive.settings();
  const auto before = settings.cache_page().value();
  const auto ata_before = settings.ata();
  REQUIRE(settings.set_cache(!before.write_cache_enabled, before.read_cache_disabled,
                             before.read_ahead_disabled));
  const auto now = settings.cache_page().value();
  CHECK(now.write_cache_enabled == !before.write_cache_enabled);
  auto wanted = before.raw;
  wanted[2] ^= 0x04;  // WCE, and nothing else
  CHECK(now.raw == wanted);
  if (ata_before) CHECK(settings.ata()->write_cache == !before.write_cache_enabled);
  CHECK_FALSE(settings.may_be_lost());
  settings.restore();
  CHECK(disk.cache_page() == before.raw);
  CHECK(settings.ata() == ata_before);
}

// None of these disks lets RCD be changed.
TEST_CASE("caches off: SET FEATURES where the disk is an ATA drive, else nothing is changed") {
  Disk disk;
  auto& settings = disk.drive.settings();
  const auto before = disk.cache_page();
  const auto ata_before = settings.ata();
  REQUIRE((before[2] & 0x04) != 0);
  CHECK(settings.set_cache(false, true, true) == disk.is_ata());
  if (disk.is_ata()) {
    CHECK(settings.ata()->write_cache == false);
    CHECK(settings.forces_reads() == (environment("PLATTER_TEST_FUA") == "yes"));
    CHECK(settings.features_hold());
    CHECK((disk.cache_page()[2] & 0x04) == 0);
  } else {
    CHECK(disk.cache_page() == before);
  }
  settings.restore();
  CHECK(disk.cache_page() == before);
  CHECK(settings.ata() == ata_before);
}

TEST_CASE("settings come back when the Drive goes") {
  std::vector<std::uint8_t> before;
  {
    Disk disk;
    before = disk.cache_page();
    disk.drive.settings().set_cache(false, true, true);
    disk.drive.settings().stop_power_management();
  }
  CHECK(Disk().cache_page() == before);
}

}  // namespace
}  // namespace platter
