#include "transport/host_drives.h"

#include <fmt/core.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace platter::transport {
namespace {

namespace fs = std::filesystem;

// One line of a sysfs attribute, trimmed; empty if there is none.
std::string attribute(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  line.erase(line.find_last_not_of(" \t\n") + 1);
  return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string first_entry(const fs::path& folder) {
  const auto found = entries(folder);
  return found.empty() ? "" : found.front().filename().string();
}

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool present(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

// `device` is the folder of a SCSI device (H:C:T:L).
HostDrive describe(const fs::path& device) {
  HostDrive drive;
  drive.vendor = attribute(device / "vendor");
  drive.product = attribute(device / "model");
  drive.revision = attribute(device / "rev");
  if (const auto type = attribute(device / "type"); !type.empty())
    drive.device_type = static_cast<int>(number(type));
  drive.sg = first_entry(device / "scsi_generic");
  drive.bsg = first_entry(device / "bsg");
  drive.block = first_entry(device / "block");
  if (!drive.block.empty())
    drive.bytes = 512 * number(attribute(device / "block" / drive.block / "size"));
  return drive;
}

// The folders of a block device and of its partitions.
std::vector<fs::path> with_partitions(const std::string& block, const std::string& root) {
  const fs::path disk = fs::path(root + "/sys/class/block") / block;
  std::vector<fs::path> folders{disk};
  for (const auto& entry : entries(disk))
    if (present(entry / "partition")) folders.push_back(entry);
  return folders;
}

bool natural_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Where a file system on the device "8:1" is mounted; empty: nowhere.
std::string mount_point(const std::string& device_number, const std::string& root) {
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, numbers, within, where;
    fields >> id >> parent >> numbers >> within >> where;
    if (numbers == device_number) return where;
  }
  return "";
}

bool swaps_on(const std::string& name, const std::string& root) {
  std::ifstream swaps(root + "/proc/swaps");
  for (std::string line; std::getline(swaps, line);)
    if (fs::path(line.substr(0, line.find_first_of(" \t"))) == "/dev/" + name) return true;
  return false;
}

}  // namespace

std::string HostDrive::best_name() const {
  if (!block.empty()) return "/dev/" + block;
  if (!sg.empty()) return "/dev/" + sg;
  return bsg.empty() ? "" : "/dev/bsg/" + bsg;
}

std::vector<HostDrive> host_drives(const std::string& root) {
  std::vector<HostDrive> drives;
  for (const auto& entry : entries(root + "/sys/class/scsi_device")) {
    auto drive = describe(entry / "device");
    if (drive.is_disk()) drives.push_back(std::move(drive));
  }
  std::sort(drives.begin(), drives.end(), [](const HostDrive& a, const HostDrive& b) {
    return natural_less(a.best_name(), b.best_name());
  });
  return drives;
}

std::optional<std::string> why_held(const std::string& block, const std::string& root) {
  for (const auto& folder : with_partitions(block, root)) {
    const auto name = folder.filename().string();
    const auto which = name == block ? "it" : name;
    if (const auto where = mount_point(attribute(folder / "dev"), root); !where.empty())
      return fmt::format("{} is mounted on {}", which, where);
    if (swaps_on(name, root)) return fmt::format("{} is used for swap", which);
    if (const auto holder = first_entry(folder / "holders"); !holder.empty())
      return fmt::format("{} is part of {}", which, holder);
  }
  return std::nullopt;
}

std::optional<Located> locate(bool is_block_device, dev_t device_number, const std::string& root) {
  const fs::path folder =
      fmt::format("{}/sys/dev/{}/{}:{}", root, is_block_device ? "block" : "char",
                  major(device_number), minor(device_number));
  if (!present(folder)) return std::nullopt;
  std::error_code none;
  if (present(folder / "partition")) {
    const auto disk = fs::canonical(folder, none).parent_path();
    Located located{describe(disk / "device"), disk.filename().string()};
    return located;
  }
  const auto subsystem = fs::canonical(folder / "subsystem", none).filename();
  if (!is_block_device && subsystem != "scsi_generic" && subsystem != "bsg") return std::nullopt;
  // Only SCSI logical units have a type and a SCSI level.
  if (!present(folder / "device/type") || !present(folder / "device/scsi_level"))
    return std::nullopt;
  return Located{describe(folder / "device"), ""};
}

}  // namespace platter::transport
