#include "transport/holders.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "transport/sysfs.h"

namespace platter::transport {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 16;  // of devices on devices; the kernel lets no loop be built
constexpr std::size_t kMostProcesses = 3;

using Use = std::optional<std::string>;  // "is mounted on /home"; nullopt: nothing uses it

fs::path folder_of(const std::string& block, const std::string& root) {
  return fs::path(root + "/sys/class/block") / block;
}

std::vector<std::string> partitions_of(const std::string& block, const std::string& root) {
  std::vector<std::string> names;
  for (const auto& entry : entries(folder_of(block, root)))
    if (present(entry / "partition")) names.push_back(entry.filename().string());
  return names;
}

struct Mount {
  std::string device;  // "8:1"
  std::string where, type, source;
};

// mountinfo's escapes (proc(5)): of a space alone; the others would break a sentence.
std::string spaced(const std::string& text) {
  constexpr std::string_view kSpace = "\\040";
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const bool space = text.compare(at, kSpace.size(), kSpace) == 0;
    plain += space ? ' ' : text[at];
    at += space ? kSpace.size() : 1;
  }
  return plain;
}

std::vector<Mount> mounts_in(const fs::path& mountinfo) {
  std::vector<Mount> mounts;
  std::ifstream file(mountinfo);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string id, parent, within, options, field;
    Mount mount;
    fields >> id >> parent >> mount.device >> within >> mount.where >> options;
    while (fields >> field && field != "-") {
    }
    fields >> mount.type >> mount.source;
    mount.where = spaced(mount.where);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

Use mounted(const std::string& device, const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts)
    if (mount.device == device) return "is mounted on " + mount.where;
  return std::nullopt;
}

// A file system of several devices has a device number of its own.
Use part_of_btrfs(const std::string& block, const std::vector<Mount>& mounts,
                  const std::string& root) {
  for (const auto& file_system : entries(root + "/sys/fs/btrfs")) {
    if (!present(file_system / "devices" / block)) continue;
    for (const Mount& mount : mounts)
      if (mount.type == "btrfs" &&
          present(file_system / "devices" / fs::path(mount.source).filename()))
        return "is part of the btrfs that is mounted on " + mount.where;
    return "is part of a btrfs, UUID " + file_system.filename().string();
  }
  return std::nullopt;
}

Use used_for_swap(const std::string& block, const std::string& root) {
  std::ifstream swaps(root + "/proc/swaps");
  for (std::string line; std::getline(swaps, line);)
    if (fs::path(line.substr(0, line.find_first_of(" \t"))) == "/dev/" + block)
      return "is used for swap";
  return std::nullopt;
}

// A loop device does not hold what is behind it.
Use behind_loop(const std::string& block, const std::string& root) {
  for (const auto& device : entries(root + "/sys/class/block"))
    if (attribute(device / "loop/backing_file") == "/dev/" + block)
      return "is behind " + device.filename().string();
  return std::nullopt;
}

// "vg-home" of lvm2, which doubles a dash within a name, as "vg/home".
std::string volume_of(const std::string& mapped) {
  std::string name;
  bool in_group = true;
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    const bool dash = mapped[i] == '-';
    if (dash && i + 1 < mapped.size() && mapped[i + 1] == '-')
      ++i;
    else if (dash && in_group) {
      in_group = false;
      name += '/';
      continue;
    }
    name += mapped[i];
  }
  return name;
}

// "md0 (raid1)", "the logical volume vg/home (dm-0)"
std::string described(const std::string& holder, const std::string& root) {
  const fs::path folder = folder_of(holder, root);
  if (const auto level = attribute(folder / "md/level"); !level.empty())
    return fmt::format("{} ({})", holder, level);
  const auto name = attribute(folder / "dm/name");
  if (name.empty()) return holder;
  const auto uuid = attribute(folder / "dm/uuid");
  if (uuid.starts_with("LVM-"))
    return fmt::format("the logical volume {} ({})", volume_of(name), holder);
  const std::string_view kind = uuid.starts_with("CRYPT-")   ? "encrypted"
                                : uuid.starts_with("mpath-") ? "multipath"
                                                             : "device-mapper";
  return fmt::format("the {} volume {} ({})", kind, name, holder);
}

class Machine {
 public:
  explicit Machine(const std::string& root)
      : root_(root), mounts_(mounts_in(root + "/proc/self/mountinfo")) {}

  Use use_of(const std::string& block, int levels = kMostLevels) const {
    const fs::path folder = folder_of(block, root_);
    if (auto use = mounted(attribute(folder / "dev"), mounts_)) return use;
    if (auto use = used_for_swap(block, root_)) return use;
    if (const auto holder = first_entry(folder / "holders"); !holder.empty())
      return fmt::format("is part of {}{}", described(holder, root_),
                         used_in_turn(holder, levels - 1));
    if (auto use = part_of_btrfs(block, mounts_, root_)) return use;
    return behind_loop(block, root_);
  }

 private:
  std::string used_in_turn(const std::string& block, int levels) const {
    if (levels == 0) return "";
    if (const auto use = use_of(block, levels)) return ", which " + *use;
    for (const auto& partition : partitions_of(block, root_))
      if (const auto use = use_of(partition, levels))
        return fmt::format(", whose partition {} {}", partition, *use);
    return "";
  }

  std::string root_;
  std::vector<Mount> mounts_;
};

std::vector<std::string> with_partitions(const std::string& block, const std::string& root) {
  std::vector<std::string> names{block};
  for (auto& partition : partitions_of(block, root)) names.push_back(std::move(partition));
  return names;
}

bool is_process(const fs::path& folder) {
  return std::ranges::all_of(folder.filename().string(),
                             [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
}

bool has_open(const fs::path& process, const std::vector<std::string>& blocks) {
  return std::ranges::any_of(entries(process / "fd"), [&](const fs::path& descriptor) {
    std::error_code none;
    const auto target = fs::read_symlink(descriptor, none);
    return std::ranges::any_of(blocks,
                               [&](const auto& block) { return target == "/dev/" + block; });
  });
}

// Its name is what a program chose: letters, digits and the like of it.
std::string described_process(const fs::path& process) {
  std::string name = attribute(process / "comm");
  std::erase_if(name, [](unsigned char c) { return !std::isgraph(c) || c >= 0x80; });
  return fmt::format("process {} ({})", process.filename().string(), name);
}

}  // namespace

std::optional<std::string> why_held(const std::string& block, const std::string& root) {
  const Machine machine(root);
  for (const auto& name : with_partitions(block, root))
    if (const auto use = machine.use_of(name))
      return fmt::format("{} {}", name == block ? "it" : name, *use);
  return std::nullopt;
}

std::optional<std::string> why_use_is_unknown(const HostDrive& drive) {
  if (!drive.block.empty()) return std::nullopt;
  return "Linux has no block device of it, and so nobody can tell whether it is in use (a member "
         "of a controller's RAID, or left to another driver)";
}

std::vector<std::string> processes_on(const HostDrive& drive, const std::string& root) {
  auto nodes = drive.block.empty() ? std::vector<std::string>()
                                   : with_partitions(drive.block, root);
  if (!drive.sg.empty()) nodes.push_back(drive.sg);
  if (!drive.bsg.empty()) nodes.push_back("bsg/" + drive.bsg);
  std::vector<std::string> processes;
  for (const auto& process : entries(root + "/proc"))
    if (is_process(process) && process.filename() != std::to_string(::getpid()) &&
        has_open(process, nodes))
      processes.push_back(described_process(process));
  return processes;
}

std::string who_has_open(const std::string& block, const std::string& root) {
  const auto blocks = with_partitions(block, root);
  std::vector<std::string> processes;
  for (const auto& process : entries(root + "/proc")) {
    if (!is_process(process)) continue;
    if (has_open(process, blocks)) processes.push_back(described_process(process));
    if (processes.size() == kMostProcesses) break;
  }
  if (!processes.empty())
    return fmt::format("by another program (opened exclusively); {} {} it open",
                       fmt::join(processes, " and "), processes.size() == 1 ? "has" : "have");
  for (const auto& process : entries(root + "/proc")) {
    if (!is_process(process)) continue;
    const auto mounts = mounts_in(process / "mountinfo");
    for (const auto& name : blocks)
      if (const auto use = mounted(attribute(folder_of(name, root) / "dev"), mounts))
        return fmt::format("{} {} for {}", name == block ? "it" : name, *use,
                           described_process(process));
  }
  return "by another program (opened exclusively)";
}

}  // namespace platter::transport
