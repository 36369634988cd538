#include "emulator/vhost_user/foreign_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace platter::emulator {
namespace {

// One of TCP may have close(2) wait for another host (SO_LINGER).
bool is_unix_socket(int descriptor) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

bool is_regular(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

std::optional<int> mount_of(int descriptor) {
  std::ifstream info(fmt::format("/proc/self/fdinfo/{}", descriptor));
  for (std::string key; info >> key;)
    if (int mount = 0; key == "mnt_id:" && info >> mount) return mount;
  return std::nullopt;
}

// proc_pid_mountinfo(5): the number, then five words and optional ones up to "-", then the type.
// Empty: it is mounted where we cannot see it.
std::string type_of(int mount) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    int number = 0;
    if (!(words >> number) || number != mount) continue;
    for (std::string word; words >> word;)
      if (word == "-" && words >> word) return word;
  }
  return "";
}

}  // namespace

std::string name_of(int descriptor) {
  std::array<char, 64> name{};
  const ssize_t size = readlink(fmt::format("/proc/self/fd/{}", descriptor).c_str(), name.data(),
                                name.size());
  return {name.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

bool is_kernels(int descriptor) {
  const std::string name = name_of(descriptor);
  return name == "anon_inode:[eventfd]" || name.starts_with("pipe:[") ||
         (name.starts_with("socket:[") && is_unix_socket(descriptor));
}

// fstat() comes last: it asks a file's file system, which may be a program (FUSE) that never
// answers.
bool is_local(int descriptor) {
  if (is_kernels(descriptor)) return true;
  if (!name_of(descriptor).starts_with('/')) return false;
  if (fcntl(descriptor, F_GET_SEALS) >= 0) return true;  // of tmpfs, or huge pages
  const auto mount = mount_of(descriptor);
  const std::string type = mount ? type_of(*mount) : "";
  constexpr std::string_view kOthers[] = {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs", "gfs"};
  return !type.empty() && std::ranges::none_of(kOthers, [&](std::string_view each) {
    return std::string_view(type).starts_with(each);
  }) && is_regular(descriptor);
}

// The thread may be lost with it.
void close_apart(int descriptor) {
  try {
    std::thread([descriptor] { close(descriptor); }).detach();
  } catch (const std::system_error&) {  // then it stays open
  }
}

}  // namespace platter::emulator
