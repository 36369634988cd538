// Requests as the kernel describes them, and what the drive makes of them.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>
#include <vector>

#include "catch.h"
#include "emulator/ublk/queue.h"
#include "emulator_blocks/logged_drive.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;

namespace {

struct Carried : Courier {
  void answer_at(Nanoseconds leaves_host_ns, int error, Delivered delivered) override {
    answer = [=] { return delivered(leaves_host_ns) ? error : ESHUTDOWN; };
  }
  void look_again() override {}
  std::function<int()> answer{};
};

struct Asked : emulator::testing::LoggedDrive {
  Asked() : LoggedDrive(replay::testing::drive_model(true), 200) {}
  // The kernel's result.
  std::int32_t operator()(std::uint32_t op_flags, std::uint64_t sector, std::uint32_t sectors) {
    const ublk::Request request = ublk::request_of({op_flags, sectors, sector, 0}, buffer,
                                                   host_now_ns());
    const int error = ublk::serve(*drive, request, who, courier);
    if (error != kByCourier) return ublk::result_of(request, error);
    while (!courier.answer) drive->take_due();
    return ublk::result_of(request, std::exchange(courier.answer, {})());
  }
  bool holds(std::uint8_t byte, std::size_t bytes) const {
    return std::all_of(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(bytes),
                       [&](std::uint8_t each) { return each == byte; });
  }
  Connection who{};
  Carried courier{};
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(8192);
};

}  // namespace

TEST_CASE("each kind of request does what it says, and comes to the engine as it should") {
  Asked asked;
  std::ranges::fill(asked.buffer, std::uint8_t{7});
  CHECK(asked(UBLK_IO_OP_WRITE | UBLK_IO_F_FUA, 8, 8) == 4096);
  CHECK(asked(UBLK_IO_OP_WRITE, 16, 8) == 4096);
  CHECK(asked(UBLK_IO_OP_FLUSH, 0, 0) == 0);
  CHECK(asked(UBLK_IO_OP_WRITE_ZEROES, 8, 4) == 0);
  CHECK(asked(UBLK_IO_OP_DISCARD, 20, 4) == 0);
  CHECK(asked(UBLK_IO_OP_READ, 12, 8) == 4096);
  CHECK(asked.holds(7, 4096));
  CHECK(asked(UBLK_IO_OP_READ, 8, 4) == 2048);
  CHECK(asked.holds(0, 2048));
  CHECK(asked(UBLK_IO_OP_READ, 20, 4) == 2048);
  CHECK(asked.holds(0, 2048));
  CHECK(asked(UBLK_IO_OP_READ, asked.table.identity.blocks, 1) == -EINVAL);
  CHECK(asked(99, 8, 8) == -EOPNOTSUPP);
  const std::string log = asked.log();
  CHECK(log.find(" 8 8 3 ") != std::string::npos);   // a write through the cache
  CHECK(log.find(" 16 8 1 ") != std::string::npos);  // one into it
  const CheckedLog checked = asked.check(log);
  CHECK(checked.completions == 6);  // what is discarded takes no time
  CHECK(checked.flushes == 1);
  CHECK(checked.differ == 0);
}
