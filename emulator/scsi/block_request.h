// What a command does to blocks, as episodes are of it (episodes/outcome.h).
#pragma once

#include <cstdint>
#include <optional>

#include "episodes/schedule.h"
#include "scsi/device.h"

namespace platter::emulator {

struct BlockRequest {
  episodes::Kind kind = episodes::Kind::read;
  std::uint64_t lbn = 0, blocks = 0;  // of a flush: none
};

// nullopt: it neither reads, writes nor flushes. Whether the drive has such blocks is not known
// here.
std::optional<BlockRequest> block_request_of(const scsi::Command& command);

// Commands whose data are blocks of the medium, which come and go with the contents.
// SBC-3 clause 5.1.
constexpr bool moves_blocks(std::uint8_t opcode) {
  switch (opcode) {
    case 0x08:  // READ
    case 0x28:
    case 0xa8:
    case 0x88:
    case 0x0a:  // WRITE
    case 0x2a:
    case 0xaa:
    case 0x8a:
    case 0x2e:  // WRITE AND VERIFY
    case 0xae:
    case 0x8e:
    case 0x2f:  // VERIFY
    case 0xaf:
    case 0x8f:
    case 0x41:  // WRITE SAME
    case 0x93:
      return true;
    default:
      return false;
  }
}

}  // namespace platter::emulator
