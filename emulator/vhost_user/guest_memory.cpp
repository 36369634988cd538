#include "emulator/vhost_user/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

namespace platter::emulator {
namespace {

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
