// Attributes and folders of the kernel's sysfs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transport/host_drives.h"

namespace platter::transport {

// One line of an attribute, trimmed; empty if there is none.
std::string attribute(const std::filesystem::path& path);

// What a folder holds, sorted by name.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

// The name of the first of them; empty: the folder is empty, or there is none.
std::string first_entry(const std::filesystem::path& folder);

bool present(const std::filesystem::path& path);

// What a drive shares with others on its way to the host's memory, by the kernel's sysfs.
// Two drives with the same bus disturb each other's times. The name of the PCI function above the
// drive's SCSI host: one HBA, one AHCI controller, one USB host controller, each with an interrupt
// and a link of its own. Where there is none the platform device, as on a system on a chip, else
// the SCSI host. Empty: the drive is none of this machine. `root` as in host_drives.h.
std::string bus_of(const HostDrive& drive, const std::string& root = "");

}  // namespace platter::transport
