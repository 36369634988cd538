// How much one command may carry on this machine, as the kernel's sysfs tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace platter::transport {

// Bytes of one command to the drive of this block device ("sda"), by what its host adapter and the
// kernel take: max_hw_sectors_kb, and max_segments of one page each, for the pages of a buffer need
// not lie side by side. 0: it does not say. `root` is prefixed to the path: a folder in tests.
std::uint32_t most_transfer_bytes(const std::string& block, const std::string& root = "");

// Commands that the kernel has handed to the host adapter for this unit ("host:channel:id:lun"),
// modulo 2^32: each time anew where the drive refused it. nullopt: it does not say.
std::optional<std::uint32_t> commands_dispatched(const std::string& unit,
                                                 const std::string& root = "");

}  // namespace platter::transport
