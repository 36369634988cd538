#include "emulator/file_systems/file_system.h"

#include <array>
#include <optional>

#include "emulator/file_systems/ext4.h"

namespace platter::emulator {
namespace {

std::optional<Ext4Geometry> ext4_in(const Surroundings& around) {
  std::array<std::uint8_t, Ext4Geometry::kSuperblockBytes> superblock{};
  if (!around.read(Ext4Geometry::kSuperblockAt, superblock)) return std::nullopt;
  auto geometry = ext4_geometry(superblock);
  if (geometry && geometry->blocks > around.bytes() / geometry->block_bytes) return std::nullopt;
  return geometry;
}

}  // namespace

std::string identity_in(const Surroundings& around) {
  if (const auto ext4 = ext4_in(around)) return ext4->identity();
  return "";
}

std::unique_ptr<FileSystem> file_system_in(Surroundings& around, const std::vector<std::string>&) {
  if (const auto ext4 = ext4_in(around)) return std::make_unique<Ext4>(around, *ext4);
  return nullptr;
}

}  // namespace platter::emulator
