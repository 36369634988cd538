#include "transport/host_drives.h"

#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace platter::transport {
namespace {

namespace fs = std::filesystem;

// A machine with two disks and a tape, as its sysfs shows it.
class Machine {
 public:
  Machine() {
    char name[] = "/tmp/platter-machine-XXXXXX";
    REQUIRE(::mkdtemp(name));
    root_ = name;
    add("0:0:0:0", 0, "sda", "8:0");
    add("0:0:1:0", 0, "sdb", "8:16");
    add("0:0:2:0", 1, "", "");
    partition("sda", "sda1", "8:1");
    write("proc/self/mountinfo", "21 1 259:0 / / rw - ext4 /dev/root rw\n");
    write("proc/swaps", "Filename Type Size Used Priority\n");
  }
  ~Machine() { fs::remove_all(root_); }

  std::string root() const { return root_.string(); }
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::app) << text;
  }
  void hold(const std::string& block, const std::string& holder) {
    fs::create_directories(root_ / "sys/class/block" / block / "holders" / holder);
  }

 private:
  void link(const fs::path& at, const fs::path& target) {
    fs::create_directories((root_ / at).parent_path());
    fs::create_symlink(root_ / target, root_ / at);
  }
  void add(const std::string& address, int type, const std::string& block,
           const std::string& number) {
    const fs::path device = "sys/devices/" + address;
    write(device / "type", std::to_string(type) + "\n");
    write(device / "scsi_level", "6\n");
    write(device / "vendor", "SEAGATE \n");
    write(device / "model", "ST39102LW       \n");
    write(device / "rev", "0005\n");
    fs::create_directories(root_ / device / "bsg" / address);
    const auto sg = "sg" + std::string(1, address[4]);
    write(device / "scsi_generic" / sg / "dev", "21:" + std::string(1, address[4]) + "\n");
    link("sys/class/scsi_device/" + address + "/device", device);
    link(device / "scsi_generic" / sg / "device", device);
    fs::create_directories(root_ / "sys/class/scsi_generic");
    link(device / "scsi_generic" / sg / "subsystem", "sys/class/scsi_generic");
    link("sys/dev/char/21:" + std::string(1, address[4]), device / "scsi_generic" / sg);
    if (block.empty()) return;
    const auto disk = device / "block" / block;
    write(disk / "size", "17783240\n");
    write(disk / "dev", number + "\n");
    fs::create_directories(root_ / disk / "holders");
    link(disk / "device", device);
    link("sys/class/block/" + block, disk);
    link("sys/dev/block/" + number, disk);
  }
  void partition(const std::string& disk, const std::string& name, const std::string& number) {
    const auto folder = fs::path("sys/class/block") / disk / name;
    write(folder / "partition", "1\n");
    write(folder / "dev", number + "\n");
    link("sys/dev/block/" + number, folder);
    link("sys/class/block/" + name, folder);
  }

  fs::path root_;
};

TEST_CASE("the disks of a machine, with what they say about themselves") {
  Machine machine;
  const auto drives = host_drives(machine.root());
  REQUIRE(drives.size() == 2);  // the tape is none
  CHECK(drives[0].block == "sda");
  CHECK(drives[0].sg == "sg0");
  CHECK(drives[0].bsg == "0:0:0:0");
  CHECK(drives[0].vendor == "SEAGATE");
  CHECK(drives[0].product == "ST39102LW");
  CHECK(drives[0].bytes == 17783240ULL * 512);
  CHECK(drives[1].best_name() == "/dev/sdb");
  CHECK(host_drives(machine.root() + "/nowhere").empty());
}

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
