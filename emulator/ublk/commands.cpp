#include "emulator/ublk/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "model/error.h"

namespace platter::emulator::ublk {
namespace {

constexpr std::uint32_t kSector = 512;

template <typename Body>
void fill(io_uring_sqe& command, int file, std::uint32_t number, const Body& body) {
  command.opcode = IORING_OP_URING_CMD;
  command.fd = file;
  command.cmd_op = number;
  std::memcpy(command.cmd, &body, sizeof body);
}

}  // namespace

void fill_control(io_uring_sqe& command, int control, std::uint32_t number,
                  const ublksrv_ctrl_cmd& what) {
  fill(command, control, number, what);
}

void fill_fetch(io_uring_sqe& command, int device, std::uint32_t number, std::uint16_t tag,
                std::int32_t result, const void* buffer) {
  ublksrv_io_cmd what{};
  what.tag = tag;
  what.result = result;
  what.addr = reinterpret_cast<std::uint64_t>(buffer);
  fill(command, device, number, what);
  command.user_data = tag;
}

ublk_params params_for(std::uint32_t block_bytes, std::uint64_t bytes,
                       std::uint32_t most_request_bytes) {
  if (!std::has_single_bit(block_bytes) || block_bytes < kSector || block_bytes > 4096)
    throw Error(
        ExitStatus::bad_input,
        fmt::format("blocks of {} bytes are none of a block device, which have 512 to 4096, "
                    "a power of two; give --vhost-user",
                    block_bytes));
  constexpr std::uint32_t kMostSectors = std::numeric_limits<std::uint32_t>::max() / kSector;
  const auto shift = static_cast<std::uint8_t>(std::countr_zero(block_bytes));
  ublk_params params{};
  params.len = sizeof params;
  params.types = UBLK_PARAM_TYPE_BASIC | UBLK_PARAM_TYPE_DISCARD;
  params.basic.attrs = UBLK_ATTR_ROTATIONAL | UBLK_ATTR_VOLATILE_CACHE | UBLK_ATTR_FUA;
  params.basic.logical_bs_shift = params.basic.physical_bs_shift = shift;
  params.basic.io_min_shift = shift;
  params.basic.io_opt_shift = std::max<std::uint8_t>(shift, 12);
  params.basic.max_sectors = most_request_bytes / kSector;
  params.basic.dev_sectors = bytes / kSector;
  params.discard.discard_granularity = block_bytes;
  const std::uint32_t whole_blocks = kMostSectors & ~(block_bytes / kSector - 1);
  params.discard.max_discard_sectors = params.discard.max_write_zeroes_sectors = whole_blocks;
  params.discard.max_discard_segments = 1;
  return params;
}

Request request_of(const ublksrv_io_desc& asked, std::span<std::uint8_t> buffer,
                   Nanoseconds came_host_ns) {
  Request request{ublksrv_get_op(&asked),
                  (asked.op_flags & UBLK_IO_F_FUA) != 0,
                  asked.start_sector * kSector,
                  std::uint64_t{asked.nr_sectors} * kSector,
                  {},
                  came_host_ns};
  if (request.kind == UBLK_IO_OP_READ || request.kind == UBLK_IO_OP_WRITE)
    request.data = buffer.first(std::min<std::uint64_t>(request.bytes, buffer.size()));
  return request;
}

std::int32_t result_of(const Request& request, int error) {
  return error != 0 ? -error : static_cast<std::int32_t>(request.data.size());
}

}  // namespace platter::emulator::ublk
