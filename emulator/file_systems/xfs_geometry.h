// XFS by its superblock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/file_systems/bytes.h"

namespace platter::emulator {

struct XfsGeometry {
  static constexpr std::size_t kSuperblockBytes = 512;

  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0, sector_bytes = 0, inode_bytes = 0;
  std::uint32_t group_blocks = 0, groups = 0;   // allocation groups
  std::uint8_t group_shift = 0;                 // of a block's number, above which is its group's
  std::uint64_t log_block = 0, log_blocks = 0;  // 0: the log is elsewhere
  std::uint64_t root_inode = 0;
  std::uint8_t version = 0, directory_shift = 0;
  bool in_progress = false, real_time = false;
  std::uint32_t read_only_compatible = 0, incompatible = 0;
  std::string uuid{};      // 16 bytes, as they are in every block of metadata
  std::string log_uuid{};  // and in its log

  // Bytes of the device at which a block of that number begins; its number says the group.
  std::uint64_t place_of(std::uint64_t block) const {
    const std::uint64_t group = block >> group_shift;
    return (group * group_blocks + (block & ((std::uint64_t{1} << group_shift) - 1))) * block_bytes;
  }
  std::string reason_to_keep_all() const;
  std::string identity() const;
};

std::optional<XfsGeometry> xfs_geometry(Bytes superblock);

}  // namespace platter::emulator
