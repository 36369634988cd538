// Reads, writes and verifies of any blocks, in the ten-byte form where they fit it.
#pragma once

#include <cstdint>
#include <vector>

#include "scsi/commands.h"

namespace platter::scsi {

// All throw std::out_of_range where the sixteen-byte form does not hold the blocks either.
Command shortest_read(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                      CacheBits bits = {});
Command shortest_write(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                       CacheBits bits = {});
Command shortest_verify(std::uint64_t lbn, std::uint32_t blocks);

}  // namespace platter::scsi
