#include "emulator/vhost_user/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <limits>
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

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

bool wraps(std::uint64_t address, std::uint64_t bytes) { return bytes > kMost - address; }

bool holds(int file, const MemoryRegion& region) {
  struct stat status {};
  return region.bytes > 0 && !wraps(region.guest_address, region.bytes) &&
         !wraps(region.user_address, region.bytes) && !wraps(region.offset, region.bytes) &&
         fstat(file, &status) == 0 && status.st_size >= 0 &&
         region.offset + region.bytes <= static_cast<std::uint64_t>(status.st_size);
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

std::shared_ptr<const GuestMemory> GuestMemory::map(std::span<const MemoryRegion> regions,
                                                    std::span<const int> files) {
  const auto memory = std::make_shared<GuestMemory>();
  memory->mapped_.reserve(regions.size());
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (!holds(files[i], regions[i])) return nullptr;
    const std::uint64_t bytes = regions[i].offset + regions[i].bytes;
    if (bytes > kMostBytes - all) return nullptr;
    all += bytes;
    void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files[i], 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::uint8_t*>(mapping);
    memory->mapped_.push_back({regions[i], begin, TornMemory(begin, bytes)});
    if (!memory->mapped_.back().guard.is_guarded()) return nullptr;
  }
  return memory;
}

bool GuestMemory::is_torn() const {
  return std::ranges::any_of(mapped_, [](const Mapped& each) { return each.guard.is_torn(); });
}

// Guards go before their mappings, whose addresses may be somebody else's at once.
GuestMemory::~GuestMemory() {
  while (!mapped_.empty()) {
    std::uint8_t* const mapping = mapped_.back().mapping;
    const std::uint64_t bytes = mapped_.back().region.offset + mapped_.back().region.bytes;
    mapped_.pop_back();
    munmap(mapping, bytes);
  }
}

std::span<std::uint8_t> GuestMemory::at(std::uint64_t guest_address, std::uint64_t bytes) const {
  for (const Mapped& mapped : mapped_) {
    const std::uint64_t inside = guest_address - mapped.region.guest_address;
    if (guest_address < mapped.region.guest_address || inside >= mapped.region.bytes) continue;
    return {mapped.begin() + inside, std::min(bytes, mapped.region.bytes - inside)};
  }
  return {};
}

std::uint8_t* GuestMemory::at_user(std::uint64_t user_address, std::uint64_t bytes,
                                   std::uint64_t alignment) const {
  for (const Mapped& mapped : mapped_) {
    const std::uint64_t inside = user_address - mapped.region.user_address;
    if (user_address < mapped.region.user_address || inside >= mapped.region.bytes) continue;
    std::uint8_t* const found = mapped.begin() + inside;
    const bool aligned = reinterpret_cast<std::uintptr_t>(found) % alignment == 0;
    return aligned && bytes <= mapped.region.bytes - inside ? found : nullptr;
  }
  return nullptr;
}

}  // namespace platter::emulator
