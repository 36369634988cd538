// Parts of a drive that move on their own: VPD page B9h, Concurrent Positioning Ranges (SBC-5,
// 6.6.3). A drive with two actuators has two of them, each with LBNs of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/lbn_range.h"
#include "scsi/bytes.h"

namespace platter::scsi {

struct PositioningRange {
  std::uint8_t number = 0;
  std::uint8_t storage_elements = 0;  // its surfaces; 0: not said
  LbnRange blocks{};
};

// In ascending order of LBNs. nullopt: another page, not all of it came, or ranges that cannot be:
// none, empty ones, two of one number, two that share a block.
std::optional<std::vector<PositioningRange>> decode_positioning_ranges(Bytes reply);

// Whether none of them goes beyond a drive of so many blocks.
bool lie_within(const std::vector<PositioningRange>& ranges, std::uint64_t blocks);

}  // namespace platter::scsi
