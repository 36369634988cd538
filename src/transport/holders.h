// Who uses a drive: what the kernel's sysfs and proc tell. `root` is prefixed to every path: "" for
// this machine, a folder in tests. A drive is named as in /dev: "sda".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transport/host_drives.h"

namespace platter::transport {

// What holds this drive, itself or by one of its partitions, and what holds that in turn: "it is
// mounted on /home", "sda2 is used for swap", "sda1 is part of md0 (raid1), which is part of the
// logical volume vg/home (dm-0), which is mounted on /home"; nullopt: nothing that the kernel
// names.
std::optional<std::string> why_held(const std::string& block, const std::string& root = "");

// Why nobody can tell whether the drive is in use: Linux has no block device of it, and so knows no
// holder. It may be a member of a controller's RAID, whose sg node is all that Linux sees of it, or
// be left to another driver. nullopt: it has one, and why_held() tells.
std::optional<std::string> why_use_is_unknown(const HostDrive& drive);

// The kernel said that the drive is held exclusively, and why_held() does not know by whom:
// processes that have it open, or see it mounted where we do not, as far as we may look into them.
std::string who_has_open(const std::string& block, const std::string& root = "");

// Other processes than this one that have a node of the drive or of a partition of it open, as far
// as we may look into them: "process 208 (smartd)".
std::vector<std::string> processes_on(const HostDrive& drive, const std::string& root = "");

}  // namespace platter::transport
