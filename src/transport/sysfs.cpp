#include "transport/sysfs.h"

#include <algorithm>
#include <fstream>
#include <system_error>

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

namespace fs = std::filesystem;

std::string attribute(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  line.erase(line.find_last_not_of(" \t\n") + 1);
  return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  // What a process has open may be gone before it was looked at.
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string first_entry(const fs::path& folder) {
  const auto found = entries(folder);
  return found.empty() ? "" : found.front().filename().string();
}

bool present(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

}  // namespace platter::transport
