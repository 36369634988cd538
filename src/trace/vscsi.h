// What vscsi traces and tables made of them share. No file has a header: it is known by the version
// and the SCSI command that each record carries.
#pragma once

#include <cstdint>
#include <string_view>

namespace platter::trace {

constexpr std::size_t kVscsiHead = 80;  // bytes to know it by

bool is_vscsi(std::string_view head);

// What a SCSI command does with data: READ and WRITE (6), (10), (12), (16) of SBC-4.
enum class ScsiAccess : std::uint8_t { read, write, other };
ScsiAccess access_of(unsigned opcode);

}  // namespace platter::trace
