#include "emulator/file_systems/ext4_places.h"

#include <algorithm>

namespace platter::emulator {

Ext4Places::Ext4Places(const Ext4Geometry& geometry)
    : geometry_(geometry), groups_(geometry.groups) {
  const std::uint64_t together = geometry_.descriptor_blocks_together();
  by_geometry_.push_back({0, geometry_.first_block + 1});  // and what a boot loader put before
  for (std::uint32_t group = 0; group < geometry_.groups; ++group) {
    if (!geometry_.has_superblock(group)) continue;
    const std::uint64_t first = geometry_.first_of(group);
    by_geometry_.push_back({first, first + 1 + together + geometry_.reserved_descriptor_blocks});
  }
  // meta_bg: three copies in the first, the second and the last group that they describe.
  const std::uint32_t per_block = geometry_.descriptors_per_block();
  for (auto i = static_cast<std::uint32_t>(together); i < geometry_.descriptor_blocks; ++i) {
    scattered_.push_back(geometry_.place_of_descriptors(i));
    for (const std::uint64_t group :
         {std::uint64_t{0}, std::uint64_t{1}, per_block - std::uint64_t{1}})
      if (const std::uint64_t its = i * std::uint64_t{per_block} + group; its < geometry_.groups) {
        const auto number = static_cast<std::uint32_t>(its);
        const std::uint64_t place = geometry_.first_of(number) +
                                    (geometry_.has_superblock(number) ? 1 : 0);
        by_geometry_.push_back({place, place + 1});
      }
  }
  if (const std::uint64_t block = geometry_.multiple_mount_block; block != 0)
    by_geometry_.push_back({block, block + 1});
}

std::optional<std::uint32_t> Ext4Places::descriptors_at(std::uint64_t block) const {
  const std::uint64_t first = geometry_.first_block + 1;
  const std::uint32_t together = geometry_.descriptor_blocks_together();
  if (block >= first && block - first < together) return static_cast<std::uint32_t>(block - first);
  const auto found = std::ranges::lower_bound(scattered_, block);
  if (found == scattered_.end() || *found != block) return std::nullopt;
  return together + static_cast<std::uint32_t>(found - scattered_.begin());
}

bool Ext4Places::take_descriptors(std::uint32_t descriptor_block, Bytes bytes) {
  const std::uint32_t size = geometry_.descriptor_bytes;
  const bool wide = size >= 64;
  const std::uint64_t begin = std::uint64_t{descriptor_block} * geometry_.descriptors_per_block();
  bool news = false;
  for (std::uint32_t i = 0; i < geometry_.descriptors_per_block(); ++i) {
    if (begin + i >= groups_.size()) break;
    const Bytes descriptor = part_of(bytes, std::size_t{i} * size, size);
    const auto place = [&](std::size_t low, std::size_t high) {
      return le32(descriptor, low) |
             (wide ? std::uint64_t{le32(descriptor, high)} << 32 : std::uint64_t{0});
    };
    const Group group{place(0x0, 0x20), place(0x4, 0x24), place(0x8, 0x28)};
    if (group == groups_[begin + i]) continue;
    groups_[begin + i] = group;
    news = true;
  }
  stale_ |= news;
  return news;
}

void Ext4Places::refresh() {
  if (!stale_) return;
  stale_ = false;
  std::vector<Range> places = by_geometry_;
  tables_.clear();
  const std::uint64_t end = geometry_.blocks;
  const std::uint32_t table_blocks = geometry_.inode_table_blocks();
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    for (const std::uint64_t bitmap : {group.block_bitmap, group.inode_bitmap})
      if (bitmap < end) places.push_back({bitmap, bitmap + 1});
    if (group.inode_table == 0 || group.inode_table >= end) continue;
    places.push_back({group.inode_table, group.inode_table + table_blocks});
    tables_.push_back({group.inode_table, i});
  }
  places_ = Ranges(std::move(places));
  std::ranges::sort(tables_, {}, &Table::first);
}

bool Ext4Places::contains(std::uint64_t block) {
  refresh();
  return places_.contains(block);
}

std::optional<std::uint32_t> Ext4Places::first_inode_in(std::uint64_t block) {
  refresh();
  const auto behind = std::ranges::upper_bound(tables_, block, {}, &Table::first);
  if (behind == tables_.begin()) return std::nullopt;
  const Table& table = *std::prev(behind);
  const std::uint64_t index = block - table.first;
  if (index >= geometry_.inode_table_blocks()) return std::nullopt;
  const std::uint64_t inode = std::uint64_t{table.group} * geometry_.inodes_per_group +
                              index * (geometry_.block_bytes / geometry_.inode_bytes) + 1;
  if (inode > geometry_.inodes) return std::nullopt;
  return static_cast<std::uint32_t>(inode);
}

std::optional<std::pair<std::uint64_t, std::uint32_t>> Ext4Places::place_of_inode(
    std::uint32_t inode) const {
  if (inode == 0 || inode > geometry_.inodes) return std::nullopt;
  const std::uint32_t group = (inode - 1) / geometry_.inodes_per_group;
  if (group >= groups_.size() || groups_[group].inode_table == 0) return std::nullopt;
  const std::uint64_t at = std::uint64_t{(inode - 1) % geometry_.inodes_per_group} *
                           geometry_.inode_bytes;
  return std::pair(groups_[group].inode_table + at / geometry_.block_bytes,
                   static_cast<std::uint32_t>(at % geometry_.block_bytes));
}

}  // namespace platter::emulator
