// A machine with two disks and a tape, as its sysfs and proc show it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"

namespace platter::transport {

namespace fs = std::filesystem;

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
  // A block device that is made of others.
  void add_volume(const std::string& name, const std::string& number) {
    write("sys/class/block/" + name + "/dev", number + "\n");
  }
  void link(const fs::path& at, const fs::path& target) {
    fs::create_directories((root_ / at).parent_path());
    fs::create_symlink(target, root_ / at);
  }
  void partition(const std::string& disk, const std::string& name, const std::string& number) {
    const auto folder = fs::path("sys/class/block") / disk / name;
    write(folder / "partition", "1\n");
    write(folder / "dev", number + "\n");
    link_inside("sys/dev/block/" + number, folder);
    link_inside("sys/class/block/" + name, folder);
  }

  // A disk that no sd driver is bound to: /dev/sgN alone, of "0:0:N:0".
  void add_without_block_device(const std::string& address) { add(address, 0, "", ""); }

 private:
  void link_inside(const fs::path& at, const fs::path& target) { link(at, root_ / target); }
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
    link_inside("sys/class/scsi_device/" + address + "/device", device);
    link_inside(device / "scsi_generic" / sg / "device", device);
    fs::create_directories(root_ / "sys/class/scsi_generic");
    link_inside(device / "scsi_generic" / sg / "subsystem", "sys/class/scsi_generic");
    link_inside("sys/dev/char/21:" + std::string(1, address[4]), device / "scsi_generic" / sg);
    if (block.empty()) return;
    const auto disk = device / "block" / block;
    write(disk / "size", "17783240\n");
    write(disk / "dev", number + "\n");
    fs::create_directories(root_ / disk / "holders");
    link_inside(disk / "device", device);
    link_inside("sys/class/block/" + block, disk);
    link_inside("sys/dev/block/" + number, disk);
  }
  fs::path root_;
};

}  // namespace platter::transport
