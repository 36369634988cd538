// The memory of a guest, as far as its front end shares it: by the guest's own addresses, and by
// those of the front end's process. What a guest says of it is not trusted: what lies outside is
// not there, and what is cut off while it is served reads as zeros (TornMemory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace platter::emulator {

// Memory that others share with us can be cut off under us: their file is made shorter, or its file
// system is full, and the next access is a SIGBUS, which would end the process. Here it makes zeros
// of the whole mapping, which nobody else has, and the mapping is marked as torn.
class TornMemory {
 public:
  // So many mappings are guarded at most in the whole process.
  static constexpr std::size_t kMost = 16384;

  // Guards a mapping as long as it lives. is_guarded() is false where there are too many.
  TornMemory(std::uint8_t* mapping, std::size_t bytes);
  ~TornMemory();
  TornMemory(TornMemory&& other) noexcept : number_(other.number_) { other.number_ = kNone; }
  TornMemory& operator=(TornMemory&&) = delete;

  bool is_guarded() const { return number_ != kNone; }
  bool is_torn() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t number_ = kNone;
};

// One of vhost-user's memory regions (SET_MEM_TABLE).
struct MemoryRegion {
  std::uint64_t guest_address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t user_address = 0;
  std::uint64_t offset = 0;  // in the file
};

// Why a guest is not served any more whose memory is_torn().
inline constexpr const char* kTorn = "its memory was cut off while it was served";

class GuestMemory {
 public:
  // Of all regions, files from their beginning on: so that one guest leaves addresses for others.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

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
  // Something of it was not there when it was touched, and is zeros now.
  bool is_torn() const;

 private:
  struct Mapped {
    MemoryRegion region;
    std::uint8_t* mapping;  // of offset + bytes
    TornMemory guard;
    std::uint8_t* begin() const { return mapping + region.offset; }
  };
  std::vector<Mapped> mapped_{};
};

}  // namespace platter::emulator
