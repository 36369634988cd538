#include "emulator/file_systems/file_system.h"

#include <array>
#include <optional>

#include "emulator/file_systems/btrfs.h"
#include "emulator/file_systems/ext4.h"
#include "emulator/file_systems/xfs.h"

namespace platter::emulator {
namespace {

// One that claims to be larger than its place is none: its numbers would lead elsewhere.
std::optional<Ext4Geometry> ext4_in(const Surroundings& around) {
  std::array<std::uint8_t, Ext4Geometry::kSuperblockBytes> superblock{};
  if (!around.read(Ext4Geometry::kSuperblockAt, superblock)) return std::nullopt;
  auto geometry = ext4_geometry(superblock);
  if (geometry && geometry->blocks > around.bytes() / geometry->block_bytes) return std::nullopt;
  return geometry;
}

std::optional<XfsGeometry> xfs_in(const Surroundings& around) {
  std::array<std::uint8_t, XfsGeometry::kSuperblockBytes> superblock{};
  if (!around.read(0, superblock)) return std::nullopt;
  auto geometry = xfs_geometry(superblock);
  if (geometry && geometry->blocks > around.bytes() / geometry->block_bytes) return std::nullopt;
  return geometry;
}

std::optional<BtrfsGeometry> btrfs_in(const Surroundings& around) {
  std::array<std::uint8_t, BtrfsGeometry::kSuperblockBytes> superblock{};
  if (!around.read(BtrfsGeometry::kSuperblockAt, superblock)) return std::nullopt;
  auto geometry = btrfs_geometry(superblock);
  if (geometry && geometry->bytes > around.bytes()) return std::nullopt;
  return geometry;
}

}  // namespace

std::string identity_in(const Surroundings& around) {
  if (const auto xfs = xfs_in(around)) return xfs->identity();
  if (const auto btrfs = btrfs_in(around)) return btrfs->identity();
  if (const auto ext4 = ext4_in(around)) return ext4->identity();
  return "";
}

std::unique_ptr<FileSystem> file_system_in(Surroundings& around,
                                           const std::vector<std::string>& kept_names) {
  if (const auto xfs = xfs_in(around)) return std::make_unique<Xfs>(around, *xfs, kept_names);
  if (const auto btrfs = btrfs_in(around))
    return std::make_unique<Btrfs>(around, *btrfs, kept_names);
  if (const auto ext4 = ext4_in(around)) return std::make_unique<Ext4>(around, *ext4, kept_names);
  return nullptr;
}

}  // namespace platter::emulator
