// Where ext4 keeps what has its fixed place: superblocks, group descriptors with what is reserved
// for more of them, bitmaps, inode tables.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/file_systems/ext4_geometry.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

class Ext4Places {
 public:
  explicit Ext4Places(const Ext4Geometry& geometry);

  // Which block of descriptors this is, of their first copy.
  std::optional<std::uint32_t> descriptors_at(std::uint64_t block) const;
  // Whether they say anything new of places.
  bool take_descriptors(std::uint32_t descriptor_block, Bytes bytes);

  bool contains(std::uint64_t block);
  // The first of the inodes in a block of an inode table; nullopt: it is none.
  std::optional<std::uint32_t> first_inode_in(std::uint64_t block);
  // Where an inode is: the block, and the byte in it; nullopt: there is none of that number.
  std::optional<std::pair<std::uint64_t, std::uint32_t>> place_of_inode(std::uint32_t inode) const;

 private:
  struct Group {
    std::uint64_t block_bitmap = 0, inode_bitmap = 0, inode_table = 0;
    bool operator==(const Group&) const = default;
  };
  struct Table {
    std::uint64_t first;
    std::uint32_t group;
  };
  void refresh();

  const Ext4Geometry geometry_;
  std::vector<Range> by_geometry_{};        // what no descriptor says
  std::vector<std::uint64_t> scattered_{};  // descriptor blocks that lie with their groups
  std::vector<Group> groups_;
  bool stale_ = true;  // what follows is not of groups_
  Ranges places_{};
  std::vector<Table> tables_{};  // in order of their place
};

}  // namespace platter::emulator
