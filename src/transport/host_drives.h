// What the kernel's sysfs tells about the SCSI drives of this machine. `root` is prefixed to every
// path: "" for this machine, a folder in tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace platter::transport {

struct HostDrive {
  std::string sg;     // "sg0", empty where the sg driver is not loaded
  std::string block;  // "sda", empty where no sd driver is bound
  std::string bsg;    // "0:0:0:0"
  std::string vendor, product, revision;
  int device_type = -1;  // 0: disk, 14h: zoned disk
  std::uint64_t bytes = 0;
  std::string unit;               // "host:channel:id:lun", as the kernel counts them
  std::uint32_t queue_depth = 0;  // commands that the kernel sends to it at once; 0: not known

  bool is_disk() const { return device_type == 0x00 || device_type == 0x14; }
  // The device name that measures best: the block device maps the user's pages, sg copies.
  std::string best_name() const;
};

// All SCSI disks, in the order of their names.
std::vector<HostDrive> host_drives(const std::string& root = "");

// The SCSI drive behind a device number; nullopt where that is no SCSI logical unit.
// `partition_of` is the drive's name if the number is that of a partition.
struct Located {
  HostDrive drive;
  std::string partition_of;
  bool is_bsg = false;  // the number is that of its /dev/bsg node
};
std::optional<Located> locate(bool is_block_device, dev_t number, const std::string& root = "");

}  // namespace platter::transport
