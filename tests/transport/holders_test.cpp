#include "transport/holders.h"

#include <sys/sysmacros.h>
#include <unistd.h>

#include "catch.h"
#include "tests/transport/machine.h"

namespace platter::transport {
namespace {

// holds: safety.md: A drive that is mounted
TEST_CASE("a drive is free until it, or a partition of it, is in use") {
  Machine machine;
  const auto& root = machine.root();
  CHECK_FALSE(why_held("sda", root));
  SECTION("mounted") {
    machine.write("proc/self/mountinfo", "30 21 8:16 / /data rw - ext4 /dev/sdb rw\n");
    CHECK(why_held("sdb", root) == "it is mounted on /data");
    CHECK_FALSE(why_held("sda", root));
  }
  SECTION("a partition is mounted") {
    machine.write("proc/self/mountinfo", "30 21 8:1 / /home rw - ext4 /dev/sda1 rw\n");
    CHECK(why_held("sda", root) == "sda1 is mounted on /home");
    CHECK_FALSE(why_held("sdb", root));
  }
  SECTION("swap") {
    machine.write("proc/swaps", "/dev/sda1 partition 1000 0 -2\n");
    CHECK(why_held("sda", root) == "sda1 is used for swap");
  }
  SECTION("part of something") {
    machine.hold("sdb", "md0");
    CHECK(why_held("sdb", root) == "it is part of md0");
    machine.hold("sda1", "dm-3");
    CHECK(why_held("sda", root) == "sda1 is part of dm-3");
  }
}

// holds: safety.md: A drive without a block device
TEST_CASE("of a drive without a block device nobody can tell whether it is in use") {
  Machine machine;
  machine.add_without_block_device("0:0:7:0");
  for (const HostDrive& drive : host_drives(machine.root())) {
    INFO(drive.best_name());
    CHECK(why_use_is_unknown(drive).has_value() == (drive.best_name() == "/dev/sg7"));
  }
  const auto by_node = locate(false, makedev(21, 7), machine.root());
  REQUIRE(by_node);
  CHECK_THAT(why_use_is_unknown(by_node->drive).value_or(""),
             Catch::Contains("no block device") && Catch::Contains("RAID"));
  CHECK_FALSE(why_use_is_unknown(locate(false, makedev(21, 1), machine.root())->drive));
}

// holds: safety.md: A drive that is mounted
TEST_CASE("what holds a drive is named, and what holds that in turn") {
  Machine machine;
  const auto& root = machine.root();
  machine.add_volume("md0", "9:0");
  machine.add_volume("dm-3", "254:3");
  machine.hold("sda1", "md0");
  machine.write("sys/class/block/md0/md/level", "raid1\n");
  CHECK(why_held("sda", root) == "sda1 is part of md0 (raid1)");
  SECTION("a partition of an array") {
    machine.partition("md0", "md0p1", "259:5");
    machine.write("proc/self/mountinfo",
                  "30 21 259:5 / /srv/my\\040files rw - ext4 /dev/md0p1 rw\n");
    CHECK(why_held("sda", root) ==
          "sda1 is part of md0 (raid1), whose partition md0p1 is mounted on /srv/my files");
  }
  SECTION("volumes of lvm2, by the names that their owner knows") {
    machine.hold("md0", "dm-3");
    machine.write("sys/class/block/dm-3/dm/name", "my--vg-home--new\n");
    machine.write("sys/class/block/dm-3/dm/uuid", "LVM-tPVU\n");
    machine.write("proc/swaps", "/dev/dm-3 partition 1000 0 -2\n");
    CHECK(why_held("sda", root) ==
          "sda1 is part of md0 (raid1), which is part of the logical volume my-vg/home-new (dm-3), "
          "which is used for swap");
  }
  SECTION("an encrypted volume") {
    machine.hold("md0", "dm-3");
    machine.write("sys/class/block/dm-3/dm/name", "secret\n");
    machine.write("sys/class/block/dm-3/dm/uuid", "CRYPT-LUKS2-00-secret\n");
    CHECK(why_held("sda", root) ==
          "sda1 is part of md0 (raid1), which is part of the encrypted volume secret (dm-3)");
  }
  CHECK_FALSE(why_held("sdb", root));
}

TEST_CASE("a btrfs of several drives holds them all, and a loop device what is behind it") {
  Machine machine;
  const auto& root = machine.root();
  machine.write("sys/fs/btrfs/5d1c-77/devices/sda1", "");
  machine.write("sys/fs/btrfs/5d1c-77/devices/sdb", "");
  CHECK(why_held("sdb", root) == "it is part of a btrfs, UUID 5d1c-77");
  machine.write("proc/self/mountinfo", "30 21 0:45 / /srv rw shared:9 - btrfs /dev/sda1 rw\n");
  CHECK(why_held("sdb", root) == "it is part of the btrfs that is mounted on /srv");
  CHECK(why_held("sda", root) == "sda1 is part of the btrfs that is mounted on /srv");

  Machine other;
  other.write("sys/class/block/loop4/loop/backing_file", "/dev/sda1\n");
  CHECK(why_held("sda", other.root()) == "sda1 is behind loop4");
  CHECK_FALSE(why_held("sdb", other.root()));
}

TEST_CASE("the programs that have a drive open are named") {
  Machine machine;
  const auto& root = machine.root();
  CHECK(who_has_open("sda", root) == "by another program (opened exclusively)");
  machine.write("proc/77/comm", "od\033[31md\n");
  machine.link("proc/77/fd/3", "/dev/sda1");
  machine.write("proc/78/comm", "smartd\n");
  machine.link("proc/78/fd/5", "/dev/sdb");
  CHECK(who_has_open("sda", root) ==
        "by another program (opened exclusively); process 77 (od[31md) has it open");
  machine.link("proc/78/fd/6", "/dev/sda");
  CHECK(who_has_open("sda", root) ==
        "by another program (opened exclusively); process 77 (od[31md) and process 78 (smartd) "
        "have it open");
}

TEST_CASE("a mount that only another process sees is named with it") {
  Machine machine;
  machine.write("proc/99/comm", "container\n");
  machine.write("proc/99/mountinfo", "30 21 8:1 / /data rw - ext4 /dev/sda1 rw\n");
  CHECK(who_has_open("sda", machine.root()) ==
        "sda1 is mounted on /data for process 99 (container)");
  CHECK(who_has_open("sdb", machine.root()) == "by another program (opened exclusively)");
}

}  // namespace
}  // namespace platter::transport
