#include "transport/drive_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "model/error.h"

namespace platter::transport {
namespace {

// The process that has a file locked, by /proc/locks: "1: FLOCK  ADVISORY  WRITE 208 00:05:83 0
// EOF", device and inode of the file; empty where it does not tell (another container's process).
std::string who_locks(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return "";
  const auto file = fmt::format("{:02x}:{:02x}:{}", major(info.st_dev), minor(info.st_dev),
                                info.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number, kind, advisory, access, process, where;
    fields >> number >> kind >> advisory >> access >> process >> where;
    if (kind == "FLOCK" && where == file && !process.starts_with('-')) return process;
  }
  return "";
}

// What a container calls sg0 may be another drive than the machine's sg0.
bool belongs_to(const std::string& node, const HostDrive& drive) {
  struct stat info {};
  if (::stat(node.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  const auto located = locate(false, info.st_rdev);
  return located && located->drive.sg == drive.sg && located->drive.bsg == drive.bsg;
}

int open_to_lock(const std::string& file) {
  return ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

[[noreturn]] void refuse(const std::string& path, int fd) {
  const auto process = who_locks(fd);
  throw Error(ExitStatus::refused,
              fmt::format("{} is in use: by another platter{}; wait until it has ended, one run a "
                          "drive is allowed",
                          path, process.empty() ? "" : ", process " + process));
}

}  // namespace

DriveLock::DriveLock(model::Descriptor node, const std::string& path) : held_(std::move(node)) {
  while (::flock(held_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) refuse(path, held_.get());
    if (errno != EINTR)
      throw Error(
          ExitStatus::refused,
          fmt::format("{} cannot be locked against a second run: {}; look into the kernel's log",
                      path, std::strerror(errno)));
  }
}

DriveLock::DriveLock(const HostDrive& drive, const std::string& path) {
  std::vector<std::string> nodes;
  if (!drive.sg.empty()) nodes.push_back("/dev/" + drive.sg);
  if (!drive.bsg.empty()) nodes.push_back("/dev/bsg/" + drive.bsg);
  for (const auto& node : nodes) {
    if (!belongs_to(node, drive)) continue;
    model::Descriptor opened(open_to_lock(node));
    if (opened.get() < 0) continue;
    *this = DriveLock(std::move(opened), path);
    return;
  }
}

}  // namespace platter::transport
