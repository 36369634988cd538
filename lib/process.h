// What tells this process from others: from its parent, and from those that were never near it.
#pragma once

#include <cstdint>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define PLATTER_TELLS_THREADS 1
#else
#define PLATTER_TELLS_THREADS 0
#endif

namespace platter::lib {

// What a call leaves in its handle: another number in the child of a fork(), which has none of its
// parent's other threads.
std::uint32_t mark_of_process() noexcept;

// For certain; false where the C library does not tell (glibc does since 2.32).
inline bool is_only_thread() noexcept {
#if PLATTER_TELLS_THREADS
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

// Drawn once, by the first call; a child of fork() has its parent's. Throws what
// std::random_device throws where there is nothing to draw from.
std::uint64_t process_number();

}  // namespace platter::lib
