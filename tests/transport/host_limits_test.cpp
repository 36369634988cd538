#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "machine.h"
#include "transport/sg_io.h"

namespace platter::transport {

TEST_CASE("the most bytes of one command are the least that adapter and kernel name") {
  const auto root = std::filesystem::temp_directory_path() /
                    ("platter-limits-" + std::to_string(::getpid()));
  const auto queue = root / "sys/block/sdx/queue";
  std::filesystem::create_directories(queue);
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(queue / name) << text << "\n";
  };
  CHECK(most_transfer_bytes("sdx", root.string()) == 0);
  CHECK(most_transfer_bytes("", root.string()) == 0);
  write("max_hw_sectors_kb", "1024");
  CHECK(most_transfer_bytes("sdx", root.string()) == 1024 * 1024);
  write("max_segments", "168");
  CHECK(most_transfer_bytes("sdx", root.string()) == 168 * 4096);
  write("max_hw_sectors_kb", "120");  // a USB bridge
  CHECK(most_transfer_bytes("sdx", root.string()) == 120 * 1024);
  write("max_hw_sectors_kb", "2147483647");
  write("max_segments", "65535");
  CHECK(most_transfer_bytes("sdx", root.string()) == 65535U * 4096);
  std::filesystem::remove_all(root);
}

TEST_CASE("the kernel's count of commands to a drive is read as it writes it") {
  const Machine machine;
  CHECK_FALSE(commands_dispatched("0:0:1:0", machine.root()));
  std::ofstream(machine.root() + "/sys/class/scsi_device/0:0:1:0/device/iorequest_cnt")
      << "0x1f3a\n";
  CHECK(commands_dispatched("0:0:1:0", machine.root()) == 0x1f3aU);
  CHECK_FALSE(commands_dispatched("0:0:0:0", machine.root()));
}

}  // namespace platter::transport
