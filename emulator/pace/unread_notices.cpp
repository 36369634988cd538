#include "emulator/pace/unread_notices.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace platter::emulator {

// Opened anew, since O_NONBLOCK would be for all who have the same open file.
void drop_unread_notices() {
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0) return;
  if (!S_ISFIFO(status.st_mode) && isatty(STDERR_FILENO) == 0) return;
  const int own = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (own < 0) return;
  dup2(own, STDERR_FILENO);
  close(own);
}

}  // namespace platter::emulator
