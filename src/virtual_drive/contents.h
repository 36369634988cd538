// What a drive's blocks hold, apart from when they can be had: a target reads and writes them in
// the order in which it takes commands up. Where the host's storage fails them, the command ends
// with HARDWARE ERROR, INTERNAL TARGET FAILURE.
#pragma once

#include <cstdint>
#include <span>

namespace platter::virtual_drive {

class Contents {
 public:
  virtual ~Contents() = default;
  // What follows is done for the command of that tag, which the drive takes up now.
  virtual void begin_command(std::uint32_t /*tag*/) {}
  // Blocks from `lbn` on, as many bytes as `to` holds (the last block may be cut). false: it fails.
  [[nodiscard]] virtual bool read(std::uint64_t lbn, std::span<std::uint8_t> to) const = 0;
  // `from` holds whole blocks.
  [[nodiscard]] virtual bool write(std::uint64_t lbn, std::span<const std::uint8_t> from) = 0;
  // Whole blocks that nobody reads any more: their zone was reset.
  virtual void forget(std::uint64_t /*lbn*/, std::uint64_t /*blocks*/) {}
  // What was written so far is to outlive the host, too: a command said that it has to be on the
  // media (FUA, SYNCHRONIZE CACHE).
  virtual void keep() {}
};

}  // namespace platter::virtual_drive
