#include "emulator/file_systems/xfs_geometry.h"

#include <fmt/format.h>

namespace platter::emulator {
namespace {

// Features by the kernel's names: fs/xfs/libxfs/xfs_format.h.
enum ReadOnlyCompatible : std::uint32_t {
  kFreeInodes = 1,
  kReverseMap = 2,
  kSharedBlocks = 4,
  kInodeTreeCounts = 8
};
enum Incompatible : std::uint32_t {
  kFileTypes = 0x1,
  kSparseInodes = 0x2,
  kMetadataUuid = 0x4,
  kBigTime = 0x8,
  kNeedsRepair = 0x10,
  kLargeExtentCounts = 0x20,
  kExchangeRange = 0x40,
  kParentPointers = 0x80,
};
constexpr std::uint32_t kKnownReadOnlyCompatible = kFreeInodes | kReverseMap | kSharedBlocks |
                                                   kInodeTreeCounts;
constexpr std::uint32_t kKnownIncompatible = kFileTypes | kSparseInodes | kMetadataUuid | kBigTime |
                                             kNeedsRepair | kLargeExtentCounts | kExchangeRange |
                                             kParentPointers;

bool is_power_of_two(std::uint32_t number) { return number != 0 && (number & (number - 1)) == 0; }

bool is_sound(const XfsGeometry& g) {
  return is_power_of_two(g.block_bytes) && g.block_bytes >= 512 && g.block_bytes <= 65536 &&
         is_power_of_two(g.sector_bytes) && g.sector_bytes >= 512 && g.sector_bytes <= 32768 &&
         is_power_of_two(g.inode_bytes) && g.inode_bytes >= 256 && g.inode_bytes <= 2048 &&
         g.inode_bytes <= g.block_bytes && g.group_blocks >= 64 && g.group_shift < 32 &&
         (std::uint64_t{1} << g.group_shift) >= g.group_blocks && g.blocks > 0 &&
         g.blocks < std::uint64_t{1} << 52 && g.groups > 0 &&
         (g.blocks - 1) / g.group_blocks < g.groups;
}

}  // namespace

std::string XfsGeometry::reason_to_keep_all() const {
  if (version != 5) return fmt::format("version {} has no checksums", version);
  if (in_progress) return "it is being made";
  if (block_bytes != 4096) return "its blocks have other than 4096 bytes";
  if (directory_shift != 0) return "blocks of its directories have more than 4096 bytes";
  if (real_time) return "it has a real-time section";
  const std::uint32_t unknown = (read_only_compatible & ~kKnownReadOnlyCompatible) |
                                (incompatible & ~kKnownIncompatible);
  if (unknown != 0)
    return fmt::format(
        "it has features that are not known here (read-only {:#x}, incompatible "
        "{:#x})",
        read_only_compatible & ~kKnownReadOnlyCompatible, incompatible & ~kKnownIncompatible);
  return "";
}

std::string XfsGeometry::identity() const {
  std::string id;
  for (const char c : uuid) id += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return fmt::format("xfs {} {} {} {} {} {} {} {} {:x} {:x} {} {}", id, version, blocks,
                     block_bytes, group_blocks, sector_bytes, log_block, log_blocks,
                     read_only_compatible, incompatible & ~kNeedsRepair, in_progress, real_time);
}

std::optional<XfsGeometry> xfs_geometry(Bytes super) {
  if (super.size() < XfsGeometry::kSuperblockBytes || be32(super, 0) != 0x58465342)  // "XFSB"
    return std::nullopt;
  XfsGeometry g;
  g.block_bytes = be32(super, 4);
  g.blocks = be64(super, 8);
  g.real_time = be64(super, 16) != 0;
  g.log_block = be64(super, 48);
  g.root_inode = be64(super, 56);
  g.group_blocks = be32(super, 84);
  g.groups = be32(super, 88);
  g.log_blocks = be32(super, 96);
  g.version = be16(super, 100) & 0xF;
  g.sector_bytes = be16(super, 102);
  g.inode_bytes = be16(super, 104);
  g.group_shift = byte_at(super, 124);
  g.in_progress = byte_at(super, 126) != 0;
  g.directory_shift = byte_at(super, 192);
  g.read_only_compatible = be32(super, 212);
  g.incompatible = be32(super, 216);
  const auto uuid_at = [&](std::size_t at) {
    return std::string(reinterpret_cast<const char*>(super.data()) + at, 16);
  };
  g.log_uuid = uuid_at(32);
  g.uuid = (g.incompatible & kMetadataUuid) != 0 ? uuid_at(248) : g.log_uuid;
  if (!is_sound(g)) return std::nullopt;
  return g;
}

}  // namespace platter::emulator
