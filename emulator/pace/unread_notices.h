// What is told on standard streams holds nobody up, whoever reads it or does not; and
// a server has more open files than a shell gives.
#pragma once

#include <sys/resource.h>

#include "model/descriptor.h"

namespace platter::emulator {

// An own opening of this standard stream, if it is a pipe or a terminal, that does not wait for
// room; the others who have it write to it as before. No descriptor: it is neither, or may not be
// opened anew.
model::Descriptor opened_without_waiting(int stream);

// Notices that nobody reads, in a pipe or on a terminal, are dropped from now on.
void drop_unread_notices();

// As many open files as this process may have without asking root: each client has some of a
// server's.
inline void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace platter::emulator
