// What the kernel and the server of a ublk device tell each other, byte by byte (linux/ublk_cmd.h).
#include "emulator/ublk/commands.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "catch.h"
#include "emulator/ublk/ring.h"
#include "model/error.h"

using namespace platter;
using namespace platter::emulator::ublk;

namespace {

struct Command {
  Command() { bytes.fill(0); }
  io_uring_sqe& entry() { return *reinterpret_cast<io_uring_sqe*>(bytes.data()); }
  template <typename Value>
  Value at(std::size_t offset) const {
    Value value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  alignas(8) std::array<std::uint8_t, 128> bytes;
};

}  // namespace

TEST_CASE("a command for the control file") {
  Command command;
  ublksrv_ctrl_cmd what{};
  what.dev_id = 3;
  what.queue_id = 0xffff;
  what.len = 64;
  what.addr = 0x1122334455667788;
  what.data[0] = 77;
  fill_control(command.entry(), 5, UBLK_CMD_START_DEV, what);
  CHECK(command.at<std::uint8_t>(0) == 46);  // IORING_OP_URING_CMD
  CHECK(command.at<std::int32_t>(4) == 5);
  CHECK(command.at<std::uint32_t>(8) == 6);
  CHECK(command.at<std::uint32_t>(48) == 3);
  CHECK(command.at<std::uint16_t>(52) == 0xffff);
  CHECK(command.at<std::uint16_t>(54) == 64);
  CHECK(command.at<std::uint64_t>(56) == 0x1122334455667788);
  CHECK(command.at<std::uint64_t>(64) == 77);
}

TEST_CASE("an answer that fetches the next request of its tag") {
  Command command;
  fill_fetch(command.entry(), 9, UBLK_IO_COMMIT_AND_FETCH_REQ, 17, -EIO, &command);
  CHECK(command.at<std::int32_t>(4) == 9);
  CHECK(command.at<std::uint32_t>(8) == 0x21);
  CHECK(command.at<std::uint64_t>(32) == 17);
  CHECK(command.at<std::uint16_t>(48) == 0);
  CHECK(command.at<std::uint16_t>(50) == 17);
  CHECK(command.at<std::int32_t>(52) == -EIO);
  CHECK(command.at<std::uint64_t>(56) == reinterpret_cast<std::uint64_t>(&command));
}

TEST_CASE("a device's parameters are its drive's") {
  for (const std::uint32_t block_bytes : {512U, 4096U}) {
    const ublk_params params = params_for(block_bytes, std::uint64_t{block_bytes} * 1000, 4U << 20);
    CHECK(1U << params.basic.logical_bs_shift == block_bytes);
    CHECK(params.basic.dev_sectors * 512 == std::uint64_t{block_bytes} * 1000);
    CHECK(params.basic.max_sectors == 8192);
    CHECK(params.basic.attrs == (UBLK_ATTR_ROTATIONAL | UBLK_ATTR_VOLATILE_CACHE | UBLK_ATTR_FUA));
    CHECK(params.discard.max_write_zeroes_sectors % (block_bytes / 512) == 0);
    CHECK(params.discard.max_write_zeroes_sectors > 1U << 22);
  }
  for (const std::uint32_t block_bytes : {256U, 520U, 8192U})
    CHECK_THROWS_AS(params_for(block_bytes, 1 << 20, 4U << 20), Error);
}

TEST_CASE("a request and its result") {
  std::vector<std::uint8_t> buffer(1 << 20);
  ublksrv_io_desc asked{};
  asked.op_flags = UBLK_IO_OP_WRITE | UBLK_IO_F_FUA;
  asked.start_sector = 1ULL << 33;
  asked.nr_sectors = 16;
  const Request write = request_of(asked, buffer, 5);
  CHECK((write.kind == UBLK_IO_OP_WRITE && write.through && write.came_host_ns == 5));
  CHECK(write.offset == 1ULL << 42);
  CHECK((write.data.data() == buffer.data() && write.data.size() == 8192));
  CHECK(result_of(write, 0) == 8192);
  CHECK(result_of(write, ENOSPC) == -ENOSPC);
  asked.op_flags = UBLK_IO_OP_WRITE_ZEROES;
  asked.nr_sectors = 1U << 23;
  const Request zeroes = request_of(asked, buffer, 0);
  CHECK((zeroes.bytes == 1ULL << 32 && zeroes.data.empty() && !zeroes.through));
  CHECK(result_of(zeroes, 0) == 0);
}

TEST_CASE("a ring brings answers, in any number, and wakes at its time") {
  try {
    const Ring probe(2);
  } catch (const Error&) {
    return;  // this host has none
  }
  Ring ring(4);
  ring.enter(0);
  CHECK_FALSE(ring.take());
  for (std::uint64_t i = 0; i < 10; ++i) ring.next().user_data = i;  // IORING_OP_NOP is 0
  std::vector<std::uint64_t> seen;
  while (seen.size() < 10) {
    ring.enter(std::nullopt);
    while (const auto answer = ring.take()) seen.push_back(answer->user_data);
  }
  std::ranges::sort(seen);
  CHECK(seen.front() == 0);
  CHECK(seen.back() == 9);
}
