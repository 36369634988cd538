// The device's side of a split virtqueue (virtio 1.1 section 2.6) in a guest's memory. The guest
// may write there whatever it likes, at any time: a descriptor is copied before it is looked at,
// and nothing outside of the shared memory is reached.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/vhost_user/guest_memory.h"

namespace platter::emulator {

// A request as pieces of the guest's memory, those to be read before those to be written.
struct Chain {
  std::uint16_t head = 0;
  std::vector<std::span<std::uint8_t>> readable{}, writable{};
  std::shared_ptr<const GuestMemory> memory{};  // stays mapped as long as this is needed
};

class Virtqueue {
 public:
  static constexpr std::uint32_t kMostEntries = 1024;
  static constexpr std::size_t kMostSegments = 1024;  // of a chain

  // All at addresses of the front end's process.
  struct Addresses {
    std::uint64_t descriptors = 0, used = 0, available = 0;
  };

  // Places the rings. false: they do not lie in the memory, or no ring has so many entries.
  bool place(const std::shared_ptr<const GuestMemory>& memory, std::uint32_t entries,
             const Addresses& addresses);
  bool is_placed() const { return memory_ != nullptr; }
  void remove() { memory_.reset(); }
  // The index of the next request to be taken, where the front end goes on.
  std::uint16_t next_index() const { return next_; }
  void set_next_index(std::uint16_t next) { next_ = next; }

  bool has_request() const;
  // Takes one into `chain`, whose vectors keep their room. "" or a sentence's part: what is wrong
  // with the ring, which cannot be used any more.
  std::string take(Chain& chain);
  // The request is answered, so many bytes of it were written.
  void answer(std::uint16_t head, std::uint32_t written);
  // Whether the guest wants to be told of answers.
  bool wants_call() const;

 private:
  struct Descriptor {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint16_t flags, next;
  };
  std::string take_table(Chain& chain, std::span<std::uint8_t> table, std::uint32_t index,
                         bool indirect);
  std::string take_indirect(Chain& chain, const Descriptor& descriptor);
  std::string add(Chain& chain, const Descriptor& descriptor) const;

  std::shared_ptr<const GuestMemory> memory_{};
  std::uint32_t entries_ = 0;
  std::uint8_t* descriptors_ = nullptr;
  std::uint16_t* available_ = nullptr;  // flags, index, ring
  std::uint16_t* used_ = nullptr;       // flags, index, then 32-bit id and length
  std::uint16_t next_ = 0;
};

}  // namespace platter::emulator
