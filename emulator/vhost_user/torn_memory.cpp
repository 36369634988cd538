#include "emulator/vhost_user/torn_memory.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>

namespace platter::emulator {
namespace {

struct Guarded {
  std::atomic<std::uintptr_t> begin{0}, end{0};  // end is 0: nothing
  std::atomic<bool> torn{false};
  bool used = false;  // under the mutex
};

// What a signal's handler may read at any time: never moved, never freed.
std::array<Guarded, TornMemory::kMost> all_guarded;
std::mutex mutex;
struct sigaction before {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

// The access is repeated when this returns. What it touches then is ours alone; or it was no access
// to what is guarded, and whoever took the signal before takes it now.
void on_fault(int number, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Guarded& each : all_guarded) {
    const std::uintptr_t begin = each.begin, end = each.end;
    if (at < begin || at >= end) continue;
    each.torn = true;
    const void* const made = mmap(reinterpret_cast<void*>(begin), end - begin,
                                  PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (made != MAP_FAILED) return;
  }
  sigaction(number, &before, nullptr);
}

void handle_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &before);
  });
}

}  // namespace

TornMemory::TornMemory(std::uint8_t* mapping, std::size_t bytes) {
  handle_faults();
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < all_guarded.size() && number_ == kNone; ++i)
    if (!all_guarded[i].used) number_ = i;
  if (number_ == kNone) return;
  Guarded& its = all_guarded[number_];
  its.used = true;
  its.torn = false;
  its.begin = reinterpret_cast<std::uintptr_t>(mapping);
  its.end = reinterpret_cast<std::uintptr_t>(mapping) + bytes;
}

TornMemory::~TornMemory() {
  if (number_ == kNone) return;
  const std::lock_guard lock(mutex);
  all_guarded[number_].end = 0;
  all_guarded[number_].used = false;
}

bool TornMemory::is_torn() const { return number_ != kNone && all_guarded[number_].torn; }

}  // namespace platter::emulator
