// An inode of ext4 and the map of its blocks: a tree of extents, or lists of block numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "emulator/file_systems/bytes.h"

namespace platter::emulator {

struct Ext4Inode {
  enum class Kind : std::uint8_t { none, file, directory, link, other };

  static Ext4Inode of(Bytes inode);

  Kind kind = Kind::none;
  bool maps_blocks = false;  // else what it has lies within it
  std::uint32_t flags = 0;
  std::uint64_t bytes = 0;
  std::uint64_t attributes_block = 0;  // 0: none
  Bytes map{};                         // 60 bytes of the inode, which has to outlive this
};

struct Ext4Extent {
  std::uint64_t logical = 0, first = 0, blocks = 0;  // in blocks of the file, of the file system
};

// How a map is walked. The blocks of the map itself are read by `read_block`; those of depth 0 lead
// to none further. false: it is not to be had, or not to be looked into. `node` is told every block
// of the map before it is read, `extent` what of the file lies where, unwritten parts as well.
struct Ext4MapWalk {
  std::uint32_t block_bytes = 0;
  std::uint64_t blocks = 0;  // of the file system: what lies past them is passed over
  std::function<bool(std::uint64_t block, std::uint32_t depth, std::span<std::uint8_t> to)>
      read_block{};
  std::function<void(std::uint64_t block)> node{};
  std::function<void(const Ext4Extent&)> extent{};
  // So many blocks of the map at most, whatever leads to itself or is without end.
  std::uint32_t most_nodes = 1 << 16;
};

// false: it ended before the end of the map.
bool walk_map(const Ext4Inode& inode, const Ext4MapWalk& walk);

}  // namespace platter::emulator
