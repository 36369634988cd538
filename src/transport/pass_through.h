// One command through Linux's SG_IO, and what its answer means. Not by libsgutils2's sg_pt, which
// loses the residual of writes to /dev/sdX and /dev/sgN: a write that moved half its data would
// pass for done.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scsi/device.h"

namespace platter::transport {

// /dev/bsg/... takes version 4 of the header alone, the others take version 3.
enum class SgVersion : std::uint8_t { three, four };

// What Linux says of a command that it carried out, or tried to.
struct Answer {
  std::uint32_t host = 0;    // the host adapter's, or the error handler's: DID_...
  std::uint32_t driver = 0;  // the SCSI layer's: DRIVER_...
  std::uint8_t status = 0;   // the drive's
  std::int64_t residual = 0;
  std::uint32_t sense_bytes = 0;
};

// Sends the command with its data in `buffer`, which holds what a read brought afterwards. Returns
// 0, or errno: then the command was not sent, as far as Linux says.
int pass_through(int fd, SgVersion version, const scsi::Command& command, std::uint8_t* buffer,
                 std::span<std::uint8_t> sense, Answer& answer);

// The same in two halves, by the sg driver's asynchronous interface (/dev/sgN, version 3). The
// first hands the command over and does not wait for it; Linux has then copied what it writes. The
// second takes the answer, the sense data and what a read brought: EAGAIN while the command is
// under way.
int begin_pass_through(int fd, const scsi::Command& command, std::uint8_t* buffer,
                       std::span<std::uint8_t> sense);
int end_pass_through(int fd, Answer& answer);

// The drive's status, or why there is none; for sentences, `path` is the device.
scsi::TransportError why_not_sent(const std::string& path, const scsi::Command& command, int error);
scsi::Expected<scsi::Status> status_of(const std::string& path, const scsi::Command& command,
                                       const Answer& answer);

}  // namespace platter::transport
