#include "jobs/named_drives.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "identity/drive_mark.h"
#include "jobs/open_device.h"
#include "replay/replay_drive.h"
#include "transport/holders.h"
#include "transport/sysfs.h"

namespace platter::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNode = "/dev/", kVirtualDrive = "virtual:";

std::optional<transport::HostDrive> drive_of_node(const std::string& name) {
  struct stat node {};
  if (!name.starts_with(kNode) || ::stat(name.c_str(), &node) != 0) return std::nullopt;
  if (!S_ISBLK(node.st_mode) && !S_ISCHR(node.st_mode)) return std::nullopt;
  const auto located = transport::locate(S_ISBLK(node.st_mode), node.st_rdev);
  return located ? std::optional(located->drive) : std::nullopt;
}

std::string real_path_of(const std::string& path) {
  std::error_code none;
  const fs::path real = fs::canonical(path, none);
  return none ? path : real.string();
}

// The same for all names of a device.
std::string device_behind(const std::string& name,
                          const std::optional<transport::HostDrive>& drive) {
  if (drive) return drive->unit;
  if (name.starts_with(kNode)) return real_path_of(name);
  if (!name.starts_with(kVirtualDrive)) return name;
  const std::size_t options = name.rfind('?');
  const std::string file = name.substr(kVirtualDrive.size(), options - kVirtualDrive.size());
  return "virtual:" + real_path_of(file) +
         (options == std::string::npos ? "" : name.substr(options));
}

void ask_who_it_is(NamedDrive& drive, const Opening& opening) {
  try {
    drive.identity = replay::identity_of(*open_device(drive.name, opening));
  } catch (const Error& error) {
    drive.why_not = error;
  }
}

// By name for the first one that has this key.
void require_first(std::map<std::string, std::string>& seen, const std::string& key,
                   const std::string& name, const char* how) {
  const auto [first, is_new] = seen.emplace(key, name);
  if (is_new) return;
  throw Error(ExitStatus::usage, fmt::format("{} and {} are the same drive, {}; name it once",
                                             first->second, name, how));
}

}  // namespace

DriveUse use_of(const transport::HostDrive& drive, const std::string& root) {
  if (auto unknown = transport::why_use_is_unknown(drive)) return {"unknown", std::move(unknown)};
  if (auto held = transport::why_held(drive.block, root)) return {"used", std::move(held)};
  return {"free"};
}

std::string in_words(const DriveUse& use) {
  if (!use.why) return "free";
  return (use.name == std::string("used") ? "in use: " : "may be in use: ") + *use.why;
}

std::vector<NamedDrive> named_drives(const std::vector<std::string>& names,
                                     const std::vector<std::string>& not_in_use) {
  const Opening opening{.not_in_use = not_in_use};
  std::vector<NamedDrive> drives;
  std::map<std::string, std::string> devices, marks;
  for (const std::string& name : names) {
    if (!names_device(name)) static_cast<void>(open_device(name, opening));  // throws
    const auto node = drive_of_node(name);
    require_first(devices, device_behind(name, node), name, "under two names or twice under one");
    NamedDrive drive{name};
    drive.place.computed = !name.starts_with(kNode);
    if (node) drive.place.bus = transport::bus_of(*node);
    drives.push_back(std::move(drive));
  }
  for (NamedDrive& drive : drives) {
    ask_who_it_is(drive, opening);
    const std::string mark = drive.identity ? identity::drive_mark(*drive.identity) : "";
    if (!mark.empty())
      require_first(
          marks, mark, drive.name,
          "by the vendor, product, serial number and size that they tell (or one number that "
          "a bridge gives to both: then measure one after the other)");
  }
  return drives;
}

}  // namespace platter::jobs
