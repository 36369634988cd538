// Where file systems may begin on a drive: at its beginning, and in the partitions that its table
// names (MBR with logical partitions, GPT).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emulator/file_systems/bytes.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

struct Partitioning {
  std::vector<Range> places{};  // in bytes; the whole drive where it has no table
  std::vector<Range> tables{};  // in bytes: what says so
};

using ReadDrive = std::function<bool(std::uint64_t at, std::span<std::uint8_t> to)>;

// Bounded, whatever a table says.
Partitioning partitioning_of(const ReadDrive& read, std::uint64_t drive_bytes,
                             std::uint32_t block_bytes);

}  // namespace platter::emulator
