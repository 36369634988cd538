// The bytes of ublk's commands and requests (linux/ublk_cmd.h; Linux's documentation, block/ublk).
#pragma once

#include <linux/io_uring.h>
#include <linux/ublk_cmd.h>

#include <cstdint>
#include <span>

#include "model/units.h"

namespace platter::emulator::ublk {

inline constexpr std::uint16_t kDepth = 64;  // requests that a device has at once, as an engine
                                             // takes

struct Request {
  std::uint8_t kind = 0;  // UBLK_IO_OP_READ, ...
  bool through = false;   // FUA
  std::uint64_t offset = 0, bytes = 0;
  std::span<std::uint8_t> data{};  // of a read or a write
  Nanoseconds came_host_ns = 0;
};

void fill_control(io_uring_sqe& command, int control, std::uint32_t number,
                  const ublksrv_ctrl_cmd& what);
// UBLK_IO_FETCH_REQ or UBLK_IO_COMMIT_AND_FETCH_REQ; `result`: of the request that is answered;
// `buffer`: of the next one's data. The tag comes back with the answer.
void fill_fetch(io_uring_sqe& command, int device, std::uint32_t number, std::uint16_t tag,
                std::int32_t result, const void* buffer);

// A drive that turns and has a cache. Throws Error(bad_input) for blocks that Linux has not.
ublk_params params_for(std::uint32_t block_bytes, std::uint64_t bytes,
                       std::uint32_t most_request_bytes);

// `buffer`: of its tag.
Request request_of(const ublksrv_io_desc& asked, std::span<std::uint8_t> buffer,
                   Nanoseconds came_host_ns);
// What the kernel takes as its result; `error`: 0 or an errno.
std::int32_t result_of(const Request& request, int error);

}  // namespace platter::emulator::ublk
