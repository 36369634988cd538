#include "transport/host_drives.h"

#include <fmt/core.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "transport/sysfs.h"

namespace platter::transport {
namespace {

namespace fs = std::filesystem;

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// `device` is the folder of a SCSI device (H:C:T:L).
HostDrive describe(const fs::path& device) {
  HostDrive drive;
  std::error_code none;
  drive.unit = fs::canonical(device, none).filename().string();
  drive.vendor = attribute(device / "vendor");
  drive.product = attribute(device / "model");
  drive.revision = attribute(device / "rev");
  if (const auto type = attribute(device / "type"); !type.empty())
    drive.device_type = static_cast<int>(number(type));
  drive.queue_depth = static_cast<std::uint32_t>(number(attribute(device / "queue_depth")));
  drive.sg = first_entry(device / "scsi_generic");
  drive.bsg = first_entry(device / "bsg");
  drive.block = first_entry(device / "block");
  if (!drive.block.empty())
    drive.bytes = 512 * number(attribute(device / "block" / drive.block / "size"));
  return drive;
}

bool natural_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
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

std::optional<Located> locate(bool is_block_device, dev_t device_number, const std::string& root) {
  const fs::path folder = fmt::format("{}/sys/dev/{}/{}:{}", root,
                                      is_block_device ? "block" : "char", major(device_number),
                                      minor(device_number));
  if (!present(folder)) return std::nullopt;
  std::error_code none;
  if (present(folder / "partition")) {
    const auto disk = fs::canonical(folder, none).parent_path();
    return Located{.drive = describe(disk / "device"), .partition_of = disk.filename().string()};
  }
  const auto subsystem = fs::canonical(folder / "subsystem", none).filename();
  if (!is_block_device && subsystem != "scsi_generic" && subsystem != "bsg") return std::nullopt;
  // Only SCSI logical units have a type and a SCSI level.
  if (!present(folder / "device/type") || !present(folder / "device/scsi_level"))
    return std::nullopt;
  return Located{
      .drive = describe(folder / "device"), .partition_of = "", .is_bsg = subsystem == "bsg"};
}

}  // namespace platter::transport
