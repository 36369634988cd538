#include "emulator/vhost_user/virtqueue.h"

#include <atomic>
#include <bit>
#include <cstring>

namespace platter::emulator {
namespace {

static_assert(std::endian::native == std::endian::little, "virtio is little-endian");

constexpr std::uint16_t kNext = 1, kWrite = 2, kIndirect = 4;  // flags of a descriptor
constexpr std::uint16_t kNoInterrupt = 1;                      // of the available ring
constexpr std::size_t kDescriptorBytes = 16;

std::uint16_t load(std::uint16_t* from, std::memory_order order) {
  return std::atomic_ref<std::uint16_t>(*from).load(order);
}

}  // namespace

bool Virtqueue::place(const std::shared_ptr<const GuestMemory>& memory, std::uint32_t entries,
                      const Addresses& addresses) {
  memory_.reset();
  if (!memory || entries == 0 || entries > kMostEntries || !std::has_single_bit(entries))
    return false;
  descriptors_ = memory->at_user(addresses.descriptors, std::uint64_t{entries} * kDescriptorBytes,
                                 16);
  available_ = reinterpret_cast<std::uint16_t*>(
      memory->at_user(addresses.available, 6 + 2 * std::uint64_t{entries}, 2));
  used_ = reinterpret_cast<std::uint16_t*>(
      memory->at_user(addresses.used, 6 + 8 * std::uint64_t{entries}, 4));
  if (descriptors_ == nullptr || available_ == nullptr || used_ == nullptr) return false;
  entries_ = entries;
  memory_ = memory;
  return true;
}

bool Virtqueue::has_request() const {
  return memory_ && load(available_ + 1, std::memory_order_acquire) != next_;
}

std::string Virtqueue::take(Chain& chain) {
  const auto index = load(available_ + 1, std::memory_order_acquire);
  if (static_cast<std::uint16_t>(index - next_) > entries_)
    return "its index of available requests is ahead of its ring";
  chain.head = load(available_ + 2 + next_ % entries_, std::memory_order_relaxed);
  ++next_;
  chain.readable.clear();
  chain.writable.clear();
  chain.memory = memory_;
  return take_table(chain, {descriptors_, entries_ * kDescriptorBytes}, chain.head, false);
}

std::string Virtqueue::take_table(Chain& chain, std::span<std::uint8_t> table, std::uint32_t index,
                                  bool indirect) {
  const std::size_t entries = table.size() / kDescriptorBytes;
  for (std::size_t taken = 0; taken < entries; ++taken) {
    if (index >= entries) return "a descriptor's index is beyond its table";
    Descriptor descriptor{};
    std::memcpy(&descriptor, table.data() + index * kDescriptorBytes, kDescriptorBytes);
    if ((descriptor.flags & kIndirect) != 0) {
      if (indirect) return "a table of descriptors lies in another one";
      if ((descriptor.flags & kNext) != 0) return "a table of descriptors is not the last";
      return take_indirect(chain, descriptor);
    }
    if (const std::string wrong = add(chain, descriptor); !wrong.empty()) return wrong;
    if ((descriptor.flags & kNext) == 0) return "";
    index = descriptor.next;
  }
  return "a chain of descriptors has no end";
}

std::string Virtqueue::take_indirect(Chain& chain, const Descriptor& descriptor) {
  if (descriptor.bytes == 0 || descriptor.bytes % kDescriptorBytes != 0 ||
      descriptor.bytes / kDescriptorBytes > kMostSegments)
    return "no table of descriptors has such a length";
  const auto table = memory_->at(descriptor.address, descriptor.bytes);
  if (table.size() != descriptor.bytes) return "a table of descriptors is not in the memory";
  return take_table(chain, table, 0, true);
}

std::string Virtqueue::add(Chain& chain, const Descriptor& descriptor) const {
  const bool writable = (descriptor.flags & kWrite) != 0;
  if (!writable && !chain.writable.empty()) return "what is to be read lies behind what is written";
  auto& pieces = writable ? chain.writable : chain.readable;
  std::uint64_t address = descriptor.address;
  for (std::uint64_t left = descriptor.bytes; left > 0;) {
    const auto piece = memory_->at(address, left);
    if (piece.empty()) return "a buffer is not in the memory";
    if (chain.readable.size() + chain.writable.size() == kMostSegments)
      return "a request has too many pieces";
    pieces.push_back(piece);
    address += piece.size();
    left -= piece.size();
  }
  return "";
}

void Virtqueue::answer(std::uint16_t head, std::uint32_t written) {
  if (!memory_) return;
  const std::uint16_t index = load(used_ + 1, std::memory_order_relaxed);
  const std::uint32_t entry[2] = {head, written};
  std::memcpy(used_ + 2 + 4 * std::size_t{index % entries_}, entry, sizeof entry);
  std::atomic_ref<std::uint16_t>(used_[1]).store(static_cast<std::uint16_t>(index + 1),
                                                 std::memory_order_release);
}

bool Virtqueue::wants_call() const {
  if (!memory_) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return (load(available_, std::memory_order_relaxed) & kNoInterrupt) == 0;
}

}  // namespace platter::emulator
