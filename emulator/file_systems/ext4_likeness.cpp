#include "emulator/file_systems/ext4_likeness.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace platter::emulator {
namespace {

constexpr std::size_t kEntryHead = 8;
// The longest that is in the inode itself has 59 bytes.
constexpr std::size_t kShortestLink = 60;

// Zeros from there on to the end.
bool ends_at(Bytes block, std::size_t end) {
  return end < block.size() && all_zeros(block.subspan(end));
}

}  // namespace

bool like_directory(Bytes block) {
  std::size_t at = 0;
  while (at < block.size()) {
    const std::size_t length = le16(block, at + 4), name = byte_at(block, at + 6);
    if (length < kEntryHead || length % 4 != 0 || length > block.size() - at) return false;
    if (le32(block, at) != 0 && kEntryHead + name > length) return false;
    at += length;
  }
  return true;
}

bool like_extents(Bytes block) {
  const std::uint16_t used = le16(block, 2), room = le16(block, 4), depth = le16(block, 6);
  return le16(block, 0) == 0xF30A && used <= room && room <= block.size() / 12 && depth <= 5;
}

bool like_attributes(Bytes block) { return le32(block, 0) == 0xEA020000; }

bool like_link(Bytes block) {
  const auto* const zero =
      static_cast<const std::uint8_t*>(std::memchr(block.data(), 0, block.size()));
  if (zero != nullptr) {
    const auto length = static_cast<std::size_t>(zero - block.data());
    if (length >= kShortestLink && ends_at(block, length)) return true;
  }
  const std::size_t encrypted = std::size_t{2} + le16(block, 0);
  return encrypted >= kShortestLink && ends_at(block, encrypted);
}

bool like_block_numbers(Bytes block, std::uint64_t blocks) {
  std::array<std::uint32_t, 1024> numbers{};  // a block has 4096 bytes at most
  std::size_t count = 0;
  for (std::size_t at = 0; at + 4 <= block.size() && count < numbers.size(); at += 4) {
    const std::uint32_t number = le32(block, at);
    if (number >= blocks) return false;
    if (number != 0) numbers[count++] = number;
  }
  std::sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count));
  return std::adjacent_find(numbers.begin(),
                            numbers.begin() + static_cast<std::ptrdiff_t>(count)) ==
         numbers.begin() + static_cast<std::ptrdiff_t>(count);
}

bool has_known_magic(Bytes block) {
  const std::uint32_t head = le32(block, 0);
  const std::uint32_t tail = block.size() >= 8 ? le32(block, block.size() - 8) : 0;
  return head == 0xD9C01F11 || head == 0xD9C01927 || head == 0xD9C03F14 ||  // quota, by its kind
         head == 0x004D4D50 || tail == 0x0B10CA04;                          // MMP, orphans
}

bool may_be_metadata(Bytes block, std::uint64_t blocks) {
  return like_directory(block) || like_extents(block) || like_attributes(block) ||
         has_known_magic(block) || like_link(block) || like_block_numbers(block, blocks);
}

}  // namespace platter::emulator
