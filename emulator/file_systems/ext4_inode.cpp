#include "emulator/file_systems/ext4_inode.h"

#include <algorithm>
#include <vector>

namespace platter::emulator {
namespace {

enum Flags : std::uint32_t { kExtents = 0x80000, kInlineData = 0x10000000 };

constexpr std::size_t kExtentHead = 12, kExtentEntry = 12;
constexpr std::uint32_t kDirectBlocks = 12;

class Walker {
 public:
  explicit Walker(const Ext4MapWalk& walk) : walk_(walk), left_(walk.most_nodes) {}

  bool extents(Bytes node, int most_depth) {
    const std::uint32_t depth = le16(node, 6);
    if (le16(node, 0) != 0xF30A || static_cast<int>(depth) > most_depth) return false;
    const std::size_t room = (node.size() - kExtentHead) / kExtentEntry;
    const std::size_t used = std::min<std::size_t>(le16(node, 2), room);
    bool whole = true;
    for (std::size_t i = 0; i < used; ++i) {
      const Bytes entry = node.subspan(kExtentHead + i * kExtentEntry, kExtentEntry);
      whole &= depth == 0 ? leaf(entry) : branch(entry, static_cast<int>(depth) - 1);
    }
    return whole;
  }

  // The twelve first blocks, then one block of numbers, of blocks of numbers, and of those.
  bool numbers(Bytes map) {
    for (std::uint32_t i = 0; i < kDirectBlocks; ++i) number(i, le32(map, 4 * i));
    const std::uint64_t per_block = walk_.block_bytes / 4;
    std::uint64_t logical = kDirectBlocks, covered = 1;
    bool whole = true;
    for (std::uint32_t level = 1; level <= 3; ++level) {
      covered *= per_block;
      whole &= list(le32(map, 4 * (kDirectBlocks + level - 1)), level, logical);
      logical += covered;
    }
    flush();
    return whole;
  }

 private:
  bool leaf(Bytes entry) {
    std::uint64_t blocks = le16(entry, 4);
    if (blocks > 32768) blocks -= 32768;  // unwritten
    const std::uint64_t first = le32(entry, 8) | std::uint64_t{le16(entry, 6)} << 32;
    tell({le32(entry, 0), first, blocks});
    return true;
  }

  bool branch(Bytes entry, int depth) {
    const std::uint64_t block = le32(entry, 4) | std::uint64_t{le16(entry, 8)} << 32;
    std::vector<std::uint8_t> node;
    return read(block, static_cast<std::uint32_t>(depth), node) && extents(node, depth);
  }

  bool list(std::uint64_t block, std::uint32_t level, std::uint64_t logical) {
    if (block == 0) return true;
    std::vector<std::uint8_t> numbers;
    if (!read(block, level - 1, numbers)) return false;
    const std::uint64_t per_block = walk_.block_bytes / 4;
    std::uint64_t covered = 1;
    for (std::uint32_t i = 1; i < level; ++i) covered *= per_block;
    bool whole = true;
    for (std::uint64_t i = 0; i < per_block; ++i) {
      const std::uint32_t entry = le32(numbers, 4 * i);
      if (level == 1)
        number(logical + i, entry);
      else
        whole &= list(entry, level - 1, logical + i * covered);
    }
    return whole;
  }

  bool read(std::uint64_t block, std::uint32_t depth, std::vector<std::uint8_t>& node) {
    if (block == 0 || block >= walk_.blocks || left_ == 0) return false;
    --left_;
    if (walk_.node) walk_.node(block);
    node.resize(walk_.block_bytes);
    return walk_.read_block(block, depth, node);
  }

  // Block numbers that follow each other are one extent.
  void number(std::uint64_t logical, std::uint64_t block) {
    if (block == 0) return;
    if (run_.blocks > 0 && run_.first + run_.blocks == block &&
        run_.logical + run_.blocks == logical) {
      ++run_.blocks;
      return;
    }
    flush();
    run_ = {logical, block, 1};
  }
  void flush() {
    if (run_.blocks > 0) tell(run_);
    run_ = {};
  }

  void tell(Ext4Extent extent) {
    if (extent.first == 0 || extent.first >= walk_.blocks || !walk_.extent) return;
    extent.blocks = std::min(extent.blocks, walk_.blocks - extent.first);
    if (extent.blocks > 0) walk_.extent(extent);
  }

  const Ext4MapWalk& walk_;
  std::uint32_t left_;
  Ext4Extent run_{};
};

}  // namespace

Ext4Inode Ext4Inode::of(Bytes bytes) {
  Ext4Inode inode;
  switch (le16(bytes, 0) >> 12) {
    case 0x0:
      return inode;
    case 0x4:
      inode.kind = Kind::directory;
      break;
    case 0x8:
      inode.kind = Kind::file;
      break;
    case 0xA:
      inode.kind = Kind::link;
      break;
    default:
      inode.kind = Kind::other;
  }
  inode.flags = le32(bytes, 0x20);
  inode.bytes = le32(bytes, 0x4) | std::uint64_t{le32(bytes, 0x6C)} << 32;
  inode.attributes_block = le32(bytes, 0x68) | std::uint64_t{le16(bytes, 0x76)} << 32;
  inode.map = part_of(bytes, 0x28, 60);
  const bool short_link = inode.kind == Kind::link && inode.bytes < 60 &&
                          (inode.flags & kExtents) == 0;
  inode.maps_blocks = inode.kind != Kind::other && (inode.flags & kInlineData) == 0 && !short_link;
  return inode;
}

bool walk_map(const Ext4Inode& inode, const Ext4MapWalk& walk) {
  if (!inode.maps_blocks) return true;
  Walker walker(walk);
  return (inode.flags & kExtents) != 0 ? walker.extents(inode.map, 5) : walker.numbers(inode.map);
}

}  // namespace platter::emulator
