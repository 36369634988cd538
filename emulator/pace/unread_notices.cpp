#include "emulator/pace/unread_notices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace platter::emulator {

// Opened anew, since O_NONBLOCK would be for all who have the same open file.
model::Descriptor opened_without_waiting(int stream) {
  struct stat status {};
  if (fstat(stream, &status) != 0) return model::Descriptor();
  if (!S_ISFIFO(status.st_mode) && isatty(stream) == 0) return model::Descriptor();
  const std::string name = fmt::format("/proc/self/fd/{}", stream);
  return model::Descriptor(open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

void drop_unread_notices() {
  const model::Descriptor own = opened_without_waiting(STDERR_FILENO);
  if (own.get() >= 0) dup2(own.get(), STDERR_FILENO);
}

}  // namespace platter::emulator
