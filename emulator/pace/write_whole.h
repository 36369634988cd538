// All of some bytes to a file descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace platter::emulator {

// 0, or the errno of the write that failed.
inline int write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

}  // namespace platter::emulator
