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

}  // namespace platter::emulator
