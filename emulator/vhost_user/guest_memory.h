// The memory of a guest, as far as its front end shares it: by the guest's own addresses, and by
// those of the front end's process. What a guest says of it is not trusted: what lies outside is
// not there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace platter::emulator {

// One of vhost-user's memory regions (SET_MEM_TABLE).
struct MemoryRegion {
  std::uint64_t guest_address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t user_address = 0;
  std::uint64_t offset = 0;  // in the file
};

class GuestMemory {
 public:
  GuestMemory() = default;
  // Maps the regions, each of its file, which may be closed afterwards. nullptr: one of them is
  // not to be mapped, or its file is shorter.
  static std::shared_ptr<const GuestMemory> map(std::span<const MemoryRegion> regions,
                                                std::span<const int> files);
  ~GuestMemory();
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  // From that address of the guest on, as many of the bytes as lie in one region; empty: none does.
  std::span<std::uint8_t> at(std::uint64_t guest_address, std::uint64_t bytes) const;
  // All of the bytes at an address of the front end, aligned to that; nullptr: they are not there.
  std::uint8_t* at_user(std::uint64_t user_address, std::uint64_t bytes,
                        std::uint64_t alignment) const;

 private:
  struct Mapped {
    MemoryRegion region;
    std::uint8_t* mapping;  // of offset + bytes
    std::uint8_t* begin() const { return mapping + region.offset; }
  };
  std::vector<Mapped> mapped_{};
};

}  // namespace platter::emulator
