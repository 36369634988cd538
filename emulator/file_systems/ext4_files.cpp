#include "emulator/file_systems/ext4_files.h"

#include <algorithm>

namespace platter::emulator {
namespace {

constexpr std::uint32_t kInlineData = 0x10000000;
constexpr std::uint8_t kFolder = 2, kFile = 1;  // of a directory's entry
constexpr std::uint64_t kMostFolderBlocks = 1 << 16;

// Entries that lead to each other. Blocks of the index are entries of inode 0.
void take_entries(Bytes block, std::vector<NamedFiles::Entry>& entries, ReadingLimit& limit) {
  for (std::size_t at = 0; at + 8 <= block.size();) {
    const std::size_t length = le16(block, at + 4), name = byte_at(block, at + 6);
    limit.take_entry();
    if (length < 8 || length > block.size() - at || 8 + name > length) return;
    const std::uint32_t inode = le32(block, at);
    const std::uint8_t kind = byte_at(block, at + 7);
    const Bytes text = part_of(block, at + 8, name);
    std::string its(text.begin(), text.end());
    if (inode != 0 && (kind == kFolder || kind == kFile) && its != "." && its != "..")
      entries.push_back({std::move(its), inode, kind == kFolder});
    at += length;
  }
}

}  // namespace

std::vector<Ext4Extent> Ext4Files::extents_of(std::uint64_t number, Ext4Inode::Kind kind,
                                              std::vector<std::uint8_t>& own,
                                              Sources& sources) const {
  std::vector<Ext4Extent> extents;
  const auto place = places_.place_of_inode(static_cast<std::uint32_t>(number));
  std::vector<std::uint8_t> table(geometry_.block_bytes);
  if (!place) return extents;
  sources.push_back(place->first);
  if (!read_(place->first, table)) return extents;
  const Bytes bytes = part_of(table, place->second, geometry_.inode_bytes);
  const Ext4Inode inode = Ext4Inode::of(bytes);
  if (inode.kind != kind) return extents;
  if ((inode.flags & kInlineData) != 0) own.assign(inode.map.begin(), inode.map.end());
  Ext4MapWalk walk;
  walk.block_bytes = geometry_.block_bytes;
  walk.blocks = geometry_.blocks;
  walk.read_block = [&](std::uint64_t block, std::uint32_t, std::span<std::uint8_t> to) {
    return read_(block, to);
  };
  walk.node = [&](std::uint64_t block) { sources.push_back(block); };
  walk.extent = [&](const Ext4Extent& extent) {
    limit_.take_extents();
    extents.push_back(extent);
  };
  walk_map(inode, walk);
  return extents;
}

std::vector<NamedFiles::Entry> Ext4Files::entries(std::uint64_t folder, Sources& sources) const {
  std::vector<Entry> entries;
  std::vector<std::uint8_t> own, block(geometry_.block_bytes);
  std::uint64_t left = kMostFolderBlocks;
  for (const Ext4Extent& extent : extents_of(folder, Ext4Inode::Kind::directory, own, sources))
    for (std::uint64_t i = 0; i < extent.blocks && left > 0; ++i, --left) {
      sources.push_back(extent.first + i);
      if (read_(extent.first + i, block)) take_entries(block, entries, limit_);
    }
  if (own.size() > 4)
    take_entries(part_of(own, 4, own.size()), entries, limit_);  // behind its parent
  return entries;
}

std::vector<Range> Ext4Files::bytes_of(std::uint64_t file, Sources& sources) const {
  std::vector<Range> bytes;
  std::vector<std::uint8_t> own;
  const std::uint64_t size = geometry_.block_bytes;
  for (const Ext4Extent& extent : extents_of(file, Ext4Inode::Kind::file, own, sources))
    bytes.push_back({extent.first * size, (extent.first + extent.blocks) * size});
  return bytes;
}

}  // namespace platter::emulator
