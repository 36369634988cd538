// More open files than a shell gives: each client has some of a server's.
#pragma once

#include <sys/resource.h>

namespace platter::emulator {

// As many as this process may have without asking root.
inline void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace platter::emulator
