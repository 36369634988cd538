// ext2, ext3 and ext4 by their superblock: what is where for ever.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "emulator/file_systems/bytes.h"

namespace platter::emulator {

struct Ext4Geometry {
  static constexpr std::uint64_t kSuperblockAt = 1024;
  static constexpr std::size_t kSuperblockBytes = 1024;

  std::uint64_t blocks = 0, first_block = 0;  // block 0 of a group lies at first_block
  std::uint32_t block_bytes = 0, blocks_per_group = 0, groups = 0;
  std::uint32_t inodes = 0, inodes_per_group = 0, inode_bytes = 0, first_inode = 0;
  std::uint32_t descriptor_bytes = 0, descriptor_blocks = 0, reserved_descriptor_blocks = 0;
  std::uint32_t compatible = 0, incompatible = 0, read_only_compatible = 0;  // features
  std::uint32_t first_meta_group = 0;
  std::array<std::uint32_t, 2> backup_groups{};  // sparse_super2
  std::uint64_t multiple_mount_block = 0;        // 0: none
  std::uint32_t journal_inode = 0, orphan_inode = 0;
  std::array<std::uint32_t, 3> quota_inodes{};  // 0: none
  bool mounted = false;                         // as it says itself: in use, or since a crash
  std::string uuid{};                           // as it is written

  bool has_journal() const { return journal_inode != 0; }
  bool has_superblock(std::uint32_t group) const;
  std::uint64_t first_of(std::uint32_t group) const {
    return first_block + std::uint64_t{group} * blocks_per_group;
  }
  std::uint32_t inode_table_blocks() const;
  std::uint32_t descriptors_per_block() const { return block_bytes / descriptor_bytes; }
  // Descriptor blocks behind each superblock; with meta_bg the others lie with their groups.
  std::uint32_t descriptor_blocks_together() const;
  // Where the first copy of a descriptor block is.
  std::uint64_t place_of_descriptors(std::uint32_t descriptor_block) const;

  // Why nothing of it can be dropped; empty: it can.
  std::string reason_to_keep_all() const;
  // What stays while it is the same file system: but for `mounted` and what grows with use.
  std::string identity() const;
};

// nullopt: these are no bytes of a superblock that one can work with.
std::optional<Ext4Geometry> ext4_geometry(Bytes superblock);

}  // namespace platter::emulator
