#include "fuzz/targets.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace platter::fuzz {

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", promise);
  std::abort();
}

std::string file_of(const std::string& bytes) {
  static const int file = ::memfd_create("input", 0);
  require(file >= 0 && ::ftruncate(file, 0) == 0 &&
              ::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
          "a file in memory");
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace platter::fuzz
