#include "emulator/file_systems/ext4_geometry.h"

#include <fmt/format.h>

namespace platter::emulator {
namespace {

// Features by the kernel's names: fs/ext4/ext4.h.
enum Compatible : std::uint32_t { kHasJournal = 0x4, kSparseSuper2 = 0x200, kOrphanFile = 0x1000 };
enum Incompatible : std::uint32_t {
  kRecover = 0x4,
  kMetaGroups = 0x10,
  k64Bit = 0x80,
  kMultipleMount = 0x100,
};
enum ReadOnlyCompatible : std::uint32_t { kSparseSuper = 0x1, kQuota = 0x100, kProject = 0x2000 };

// What is known to put no metadata where nobody would look for them. Missing among others are
// external journals (journal_dev), ea_inode, dirdata, and whatever is newer than this list.
constexpr std::uint32_t kKnownCompatible = 0x1E3F;
constexpr std::uint32_t kKnownIncompatible = 0x2 | kRecover | kMetaGroups | 0x40 | k64Bit |
                                             kMultipleMount | 0x200 | 0x2000 | 0x4000 | 0x8000 |
                                             0x10000 | 0x20000;
constexpr std::uint32_t kKnownReadOnlyCompatible = 0x1F77F;

constexpr std::uint16_t kMagic = 0xEF53;
constexpr std::uint32_t kMostGroups = 1 << 20;  // 128 TiB as mkfs makes them

bool is_power_of(std::uint32_t number, std::uint32_t base) {
  while (number % base == 0) number /= base;
  return number == 1;
}

bool is_power_of_two(std::uint32_t number) { return number != 0 && (number & (number - 1)) == 0; }

// Sizes that fit each other, so that all that follows divides and multiplies without surprise.
bool is_sound(const Ext4Geometry& g) {
  return is_power_of_two(g.inode_bytes) && g.inode_bytes >= 128 && g.inode_bytes <= g.block_bytes &&
         is_power_of_two(g.descriptor_bytes) && g.descriptor_bytes >= 32 &&
         g.descriptor_bytes <= g.block_bytes && g.blocks_per_group >= 8 && g.inodes_per_group > 0 &&
         g.inodes_per_group <= 8 * g.block_bytes && g.inodes > 0 && g.blocks > g.first_block &&
         g.blocks < std::uint64_t{1} << 52 &&
         (g.blocks - g.first_block - 1) / g.blocks_per_group < kMostGroups &&
         g.reserved_descriptor_blocks <= g.block_bytes / 4;
}

}  // namespace

bool Ext4Geometry::has_superblock(std::uint32_t group) const {
  if (group == 0) return true;
  if ((compatible & kSparseSuper2) != 0)
    return group == backup_groups[0] || group == backup_groups[1];
  if ((read_only_compatible & kSparseSuper) == 0) return true;
  return group == 1 || is_power_of(group, 3) || is_power_of(group, 5) || is_power_of(group, 7);
}

std::uint32_t Ext4Geometry::inode_table_blocks() const {
  const std::uint32_t per_block = block_bytes / inode_bytes;
  return (inodes_per_group + per_block - 1) / per_block;
}

std::uint32_t Ext4Geometry::descriptor_blocks_together() const {
  const bool meta = (incompatible & kMetaGroups) != 0;
  return meta ? std::min(first_meta_group, descriptor_blocks) : descriptor_blocks;
}

std::uint64_t Ext4Geometry::place_of_descriptors(std::uint32_t descriptor_block) const {
  if (descriptor_block < descriptor_blocks_together()) return first_block + 1 + descriptor_block;
  const std::uint32_t group = descriptor_block * descriptors_per_block();
  return first_of(group) + (has_superblock(group) ? 1 : 0);
}

std::string Ext4Geometry::reason_to_keep_all() const {
  if (block_bytes > 4096) return "its blocks are larger than 4096 bytes";
  const std::uint32_t unknown = (compatible & ~kKnownCompatible) |
                                (incompatible & ~kKnownIncompatible) |
                                (read_only_compatible & ~kKnownReadOnlyCompatible);
  if (unknown != 0)
    return fmt::format(
        "it has features that are not known here (compatible {:#x}, incompatible "
        "{:#x}, read-only {:#x})",
        compatible & ~kKnownCompatible, incompatible & ~kKnownIncompatible,
        read_only_compatible & ~kKnownReadOnlyCompatible);
  return "";
}

std::string Ext4Geometry::identity() const {
  return fmt::format("ext4 {} {} {} {} {} {} {} {:x} {:x} {:x} {} {} {} {}", uuid, blocks,
                     block_bytes, blocks_per_group, inodes_per_group, inode_bytes,
                     reserved_descriptor_blocks, compatible, incompatible & ~kRecover,
                     read_only_compatible & ~0x10000u, first_meta_group, journal_inode,
                     multiple_mount_block, fmt::join(quota_inodes, ","));
}

std::optional<Ext4Geometry> ext4_geometry(Bytes super) {
  if (super.size() < Ext4Geometry::kSuperblockBytes || le16(super, 0x38) != kMagic)
    return std::nullopt;
  const std::uint32_t log_block = le32(super, 0x18);
  if (log_block > 6) return std::nullopt;  // 64 KiB
  Ext4Geometry g;
  g.block_bytes = 1024u << log_block;
  g.compatible = le32(super, 0x5C);
  g.incompatible = le32(super, 0x60);
  g.read_only_compatible = le32(super, 0x64);
  const bool wide = (g.incompatible & k64Bit) != 0;
  g.blocks = le32(super, 0x4) | (wide ? std::uint64_t{le32(super, 0x150)} << 32 : 0);
  g.first_block = le32(super, 0x14);
  g.blocks_per_group = le32(super, 0x20);
  g.inodes_per_group = le32(super, 0x28);
  g.inodes = le32(super, 0x0);
  const bool old = le32(super, 0x4C) == 0;  // revision 0 has fixed sizes
  g.inode_bytes = old ? 128 : le16(super, 0x58);
  g.first_inode = old ? 11 : le32(super, 0x54);
  g.descriptor_bytes = wide ? le16(super, 0xFE) : 32;
  g.reserved_descriptor_blocks = le16(super, 0xCE);
  g.first_meta_group = le32(super, 0x104);
  g.backup_groups = {le32(super, 0x24C), le32(super, 0x250)};
  if ((g.incompatible & kMultipleMount) != 0) g.multiple_mount_block = le64(super, 0x168);
  if ((g.compatible & kHasJournal) != 0) g.journal_inode = le32(super, 0xE0);
  if ((g.compatible & kOrphanFile) != 0) g.orphan_inode = le32(super, 0x280);
  if ((g.read_only_compatible & kQuota) != 0)
    g.quota_inodes = {le32(super, 0x240), le32(super, 0x244), 0};
  if ((g.read_only_compatible & kProject) != 0) g.quota_inodes[2] = le32(super, 0x26C);
  // A journal says that it is in use; without one the bit "cleanly unmounted" is gone.
  g.mounted = (g.incompatible & kRecover) != 0 ||
              (!g.has_journal() && (le16(super, 0x3A) & 1) == 0);
  for (std::size_t i = 0; i < 16; ++i) g.uuid += fmt::format("{:02x}", super[0x68 + i]);
  if (!is_sound(g)) return std::nullopt;
  g.groups = static_cast<std::uint32_t>((g.blocks - g.first_block - 1) / g.blocks_per_group + 1);
  g.descriptor_blocks = (g.groups - 1) / g.descriptors_per_block() + 1;
  return g;
}

}  // namespace platter::emulator
