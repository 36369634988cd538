// What a drive's blocks hold, apart from when they can be had: a target reads and writes them in
// the order in which it takes commands up.
#pragma once

#include <cstdint>
#include <span>

namespace platter::virtual_drive {

class Contents {
 public:
  virtual ~Contents() = default;
  // Blocks from `lbn` on, as many bytes as `to` holds (the last block may be cut).
  virtual void read(std::uint64_t lbn, std::span<std::uint8_t> to) const = 0;
  // `from` holds whole blocks.
  virtual void write(std::uint64_t lbn, std::span<const std::uint8_t> from) = 0;
};

}  // namespace platter::virtual_drive
