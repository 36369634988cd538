#include "transport/bus.h"

#include <filesystem>
#include <system_error>

#include "transport/sysfs.h"

namespace platter::transport {
namespace {

namespace fs = std::filesystem;

// "pci", "platform", "scsi", ...; empty where the folder is no device.
std::string kernel_bus_of(const fs::path& device) {
  std::error_code none;
  return fs::canonical(device / "subsystem", none).filename().string();
}

}  // namespace

std::string bus_of(const HostDrive& drive, const std::string& root) {
  std::error_code none;
  const fs::path unit = fs::canonical(root + "/sys/class/scsi_device/" + drive.unit + "/device",
                                      none);
  if (drive.unit.empty() || none) return {};
  for (fs::path above = unit.parent_path(); above.has_relative_path(); above = above.parent_path())
    if (const std::string bus = kernel_bus_of(above); bus == "pci" || bus == "platform")
      return above.filename().string();
  return "host" + drive.unit.substr(0, drive.unit.find(':'));
}

}  // namespace platter::transport
