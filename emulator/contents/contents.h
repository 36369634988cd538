// What an emulated drive's blocks hold, as bytes from offset 0 on.
#pragma once

#include <cstdint>
#include <span>

namespace platter::emulator {

// Functions that may fail return 0 or an errno: EINVAL past the end, ENOSPC and EIO of what is
// below. Any threads at once; what overlaps is in no order, as on a drive.
class Contents {
 public:
  Contents() = default;
  virtual ~Contents() = default;
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  virtual int read(std::uint64_t offset, std::span<std::uint8_t> to) const = 0;
  virtual int write(std::uint64_t offset, std::span<const std::uint8_t> from) = 0;
  // They read as zeros afterwards.
  virtual int discard(std::uint64_t offset, std::uint64_t bytes) = 0;
  // What was written survives a crash of the host, if it outlives the emulator at all.
  virtual int flush() = 0;

  virtual std::uint64_t bytes() const = 0;
  // What the contents take on the host.
  virtual std::uint64_t stored_bytes() const = 0;
};

}  // namespace platter::emulator
