#include "transport/host_drives.h"

#include <sys/sysmacros.h>

#include "catch.h"
#include "tests/transport/machine.h"

namespace platter::transport {
namespace {

TEST_CASE("the disks of a machine, with what they say about themselves") {
  Machine machine;
  machine.write("sys/devices/0:0:0:0/queue_depth", "32\n");
  const auto drives = host_drives(machine.root());
  REQUIRE(drives.size() == 2);  // the tape is none
  CHECK(drives[0].block == "sda");
  CHECK(drives[0].sg == "sg0");
  CHECK(drives[0].bsg == "0:0:0:0");
  CHECK(drives[0].vendor == "SEAGATE");
  CHECK(drives[0].product == "ST39102LW");
  CHECK(drives[0].bytes == 17783240ULL * 512);
  CHECK(drives[1].best_name() == "/dev/sdb");
  CHECK(drives[0].queue_depth == 32);
  CHECK(drives[1].queue_depth == 0);  // it does not say
  CHECK(host_drives(machine.root() + "/nowhere").empty());
}

TEST_CASE("device numbers lead to drives") {
  Machine machine;
  const auto& root = machine.root();
  CHECK(locate(true, makedev(8, 16), root)->drive.block == "sdb");
  CHECK(locate(false, makedev(21, 1), root)->drive.block == "sdb");
  const auto partition = locate(true, makedev(8, 1), root);
  REQUIRE(partition);
  CHECK(partition->partition_of == "sda");
  const auto tape = locate(false, makedev(21, 2), root);
  REQUIRE(tape);
  CHECK_FALSE(tape->drive.is_disk());
  CHECK_FALSE(locate(true, makedev(254, 0), root));
  CHECK_FALSE(locate(false, makedev(1, 3), root));
}

}  // namespace
}  // namespace platter::transport
