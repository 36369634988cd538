#include "emulator_contents/ext4_image.h"

#include <algorithm>
#include <random>

namespace platter::testing {
namespace {

constexpr std::uint32_t kHasJournal = 0x4, kFileTypes = 0x2, kRecover = 0x4, kExtents = 0x40;
constexpr std::uint32_t kExtentsFlag = 0x80000;
constexpr std::uint32_t kMagic = 0xC03B3998;

void extent_head(Block& block, std::size_t at, std::size_t used, std::size_t room, int depth) {
  put16(block, at, 0xF30A);
  put16(block, at + 2, static_cast<std::uint16_t>(used));
  put16(block, at + 4, static_cast<std::uint16_t>(room));
  put16(block, at + 6, static_cast<std::uint16_t>(depth));
}

void put_extents(Block& block, std::size_t at, const std::vector<Ext4Image::Extent>& extents) {
  for (const Ext4Image::Extent& extent : extents) {
    put32(block, at, extent.logical);
    put16(block, at + 4, static_cast<std::uint16_t>(extent.blocks));
    put32(block, at + 8, static_cast<std::uint32_t>(extent.first));
    at += 12;
  }
}

}  // namespace

void put16(Block& block, std::size_t at, std::uint16_t number) {
  block.at(at) = static_cast<std::uint8_t>(number);
  block.at(at + 1) = static_cast<std::uint8_t>(number >> 8);
}

void put32(Block& block, std::size_t at, std::uint32_t number) {
  put16(block, at, static_cast<std::uint16_t>(number));
  put16(block, at + 2, static_cast<std::uint16_t>(number >> 16));
}

void put_be32(Block& block, std::size_t at, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i)
    block.at(at + i) = static_cast<std::uint8_t>(number >> (24 - 8 * i));
}

Block noise(unsigned seed, std::size_t bytes) {
  std::mt19937 random(seed + 1);
  Block block(bytes);
  for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random() | 0x80);
  return block;
}

Ext4Image::Ext4Image(Write write, bool with_journal)
    : write_(std::move(write)), with_journal_(with_journal) {}

void Ext4Image::write_superblock(bool mounted) {
  Block block(kBlockBytes);
  const auto set = [&](std::size_t at, std::uint32_t number) { put32(block, 1024 + at, number); };
  set(0x0, 2 * kInodesPerGroup);
  set(0x4, kBlocks);
  set(0x18, 2);
  set(0x1C, 2);
  set(0x20, kGroupBlocks);
  set(0x24, kGroupBlocks);
  set(0x28, kInodesPerGroup);
  put16(block, 1024 + 0x38, 0xEF53);
  put16(block, 1024 + 0x3A, mounted && !with_journal_ ? 0 : 1);
  set(0x4C, 1);
  set(0x54, 11);
  put16(block, 1024 + 0x58, 256);
  set(0x5C, with_journal_ ? kHasJournal : 0);
  set(0x60, kFileTypes | kExtents | (mounted && with_journal_ ? kRecover : 0));
  set(0x64, 1);
  std::fill_n(block.begin() + 1024 + 0x68, 16, static_cast<std::uint8_t>(uuid_));
  set(0xE0, with_journal_ ? kJournal : 0);
  write_(0, block);
}

void Ext4Image::make(char uuid) {
  uuid_ = uuid;
  write_(0, Block(kBlockBytes));
  Block descriptors(kBlockBytes);
  for (std::uint32_t group = 0; group < 2; ++group) {
    const auto first = static_cast<std::uint32_t>(group * kGroupBlocks);
    put32(descriptors, 32 * group, first + 2);
    put32(descriptors, 32 * group + 4, first + 3);
    put32(descriptors, 32 * group + 8, first + static_cast<std::uint32_t>(kTableAt));
  }
  write_(1, descriptors);
  tables_.clear();
  if (with_journal_) {
    const Extent extent{0, kJournalBlocks, kJournalAt};
    const std::uint64_t block = set_inode(kJournal,
                                          inode(0x8180, kJournalBlocks * kBlockBytes, {extent}));
    write_(block, tables_[block]);
    head_ = sequence_ = 1;
    write_journal_superblock(0);
  }
  write_superblock(false);
}

void Ext4Image::mount() {
  write_superblock(true);
  if (with_journal_) write_journal_superblock(head_);
}

void Ext4Image::unmount() {
  if (with_journal_) write_journal_superblock(0);
  write_superblock(false);
}

Block Ext4Image::inode(std::uint16_t mode, std::uint64_t bytes,
                       const std::vector<Extent>& extents) {
  Block inode(256);
  put16(inode, 0, mode);
  put32(inode, 4, static_cast<std::uint32_t>(bytes));
  put16(inode, 26, 1);
  put32(inode, 32, kExtentsFlag);
  extent_head(inode, 40, extents.size(), 4, 0);
  put_extents(inode, 52, extents);
  return inode;
}

Block Ext4Image::inode_of_leaf(std::uint16_t mode, std::uint64_t bytes, std::uint64_t leaf) {
  Block its = inode(mode, bytes, {});
  extent_head(its, 40, 1, 4, 1);
  put32(its, 56, static_cast<std::uint32_t>(leaf));
  return its;
}

Block Ext4Image::leaf(const std::vector<Extent>& extents) {
  Block block(kBlockBytes);
  extent_head(block, 0, extents.size(), 340, 0);
  put_extents(block, 12, extents);
  return block;
}

Block Ext4Image::folder(const std::vector<Entry>& entries) {
  std::vector<Entry> all{{kRoot, ".", true}, {kRoot, "..", true}};
  all.insert(all.end(), entries.begin(), entries.end());
  Block block(kBlockBytes);
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t length = i + 1 == all.size() ? kBlockBytes - at
                                                   : (8 + all[i].name.size() + 3) / 4 * 4;
    put32(block, at, all[i].inode);
    put16(block, at + 4, static_cast<std::uint16_t>(length));
    block[at + 6] = static_cast<std::uint8_t>(all[i].name.size());
    block[at + 7] = all[i].is_folder ? 2 : 1;
    std::copy(all[i].name.begin(), all[i].name.end(),
              block.begin() + static_cast<std::ptrdiff_t>(at + 8));
    at += length;
  }
  return block;
}

std::uint64_t Ext4Image::table_block(std::uint32_t number) {
  const std::uint32_t group = (number - 1) / kInodesPerGroup, in = (number - 1) % kInodesPerGroup;
  return group * kGroupBlocks + kTableAt + in / 16;
}

std::uint64_t Ext4Image::set_inode(std::uint32_t number, const Block& inode) {
  const std::uint64_t block = table_block(number);
  Block& table = tables_[block];
  table.resize(kBlockBytes);
  std::copy(inode.begin(), inode.end(), table.begin() + (number - 1) % 16 * 256);
  return block;
}

Block Ext4Image::control(std::uint32_t kind) const {
  Block block(kBlockBytes);
  put_be32(block, 0, kMagic);
  put_be32(block, 4, kind);
  put_be32(block, 8, sequence_);
  return block;
}

void Ext4Image::write_journal_superblock(std::uint32_t start) {
  Block block = control(4);
  put_be32(block, 8, 0);
  put_be32(block, 12, kBlockBytes);
  put_be32(block, 16, kJournalBlocks);
  put_be32(block, 20, 1);
  put_be32(block, 24, sequence_);
  put_be32(block, 28, start);
  put_be32(block, 40, 0x12);  // 64bit, csum_v3
  write_(kJournalAt, block);
}

void Ext4Image::put(const Block& bytes) {
  write_(kJournalAt + head_, bytes);
  head_ = head_ + 1 == kJournalBlocks ? 1 : head_ + 1;
}

void Ext4Image::journal(const std::map<std::uint64_t, Block>& blocks,
                        const std::vector<std::uint64_t>& revoked, bool commits) {
  Block descriptor = control(1);
  std::size_t at = 12, number = 0;
  for (const auto& [block, bytes] : blocks) {
    const bool escapes = bytes[0] == 0xC0 && bytes[1] == 0x3B && bytes[2] == 0x39 &&
                         bytes[3] == 0x98;
    put_be32(descriptor, at, static_cast<std::uint32_t>(block));
    put_be32(
        descriptor, at + 4,
        (escapes ? 1u : 0u) | (number > 0 ? 2u : 0u) | (number + 1 == blocks.size() ? 8u : 0u));
    at += 16 + (number++ == 0 ? 16 : 0);  // the journal's UUID behind the first
  }
  put(descriptor);
  for (const auto& [block, bytes] : blocks) {
    Block copy = bytes;
    if (copy[0] == 0xC0 && copy[1] == 0x3B && copy[2] == 0x39 && copy[3] == 0x98)
      std::fill_n(copy.begin(), 4, std::uint8_t{0});
    put(copy);
  }
  if (!revoked.empty()) {
    Block revocation = control(5);
    put_be32(revocation, 12, static_cast<std::uint32_t>(16 + 8 * revoked.size()));
    for (std::size_t i = 0; i < revoked.size(); ++i)
      put_be32(revocation, 20 + 8 * i, static_cast<std::uint32_t>(revoked[i]));
    put(revocation);
  }
  if (!commits) return;
  put(control(2));
  ++sequence_;
}

void Ext4Image::journal_inodes(const std::vector<std::uint32_t>& inodes,
                               std::map<std::uint64_t, Block> blocks) {
  for (const std::uint32_t inode : inodes) blocks[table_block(inode)] = tables_[table_block(inode)];
  journal(blocks);
}

void Ext4Image::checkpoint() { write_journal_superblock(head_); }

}  // namespace platter::testing
