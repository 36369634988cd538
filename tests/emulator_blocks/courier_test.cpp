// Requests whose answers a courier gives: nobody waits, and all else is as without one.
#include <cerrno>
#include <utility>
#include <vector>

#include "catch.h"
#include "emulator/blocks/connection.h"
#include "logged_drive.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;

namespace {

struct Kept : Courier {
  void answer_at(Nanoseconds leaves_host_ns, int error, Delivered delivered) override {
    leaves_ns = leaves_host_ns;
    errors.push_back(error);
    told = std::move(delivered);
  }
  void look_again() override {}
  Nanoseconds leaves_ns = 0;
  std::vector<int> errors{};
  Delivered told{};
};

struct Carried : emulator::testing::LoggedDrive {
  explicit Carried(const std::string& episodes = "")
      : LoggedDrive(replay::testing::drive_model(true), 200, {}, episodes) {}
  int read(std::uint64_t offset) {
    return drive->read(offset, block, host_now_ns(), who, &courier);
  }
  // As the thread of a front end does it.
  bool deliver() {
    while (!courier.told) drive->take_due();
    return std::exchange(courier.told, {})(courier.leaves_ns);
  }
  Connection who{};
  Kept courier{};
  std::vector<std::uint8_t> block = std::vector<std::uint8_t>(512);
};

}  // namespace

TEST_CASE("a courier is told when the answer is due, and the drive when it left") {
  Carried carried;
  const std::vector<std::uint8_t> sevens(512, 7);
  const Nanoseconds came_ns = host_now_ns();
  REQUIRE(carried.drive->write(512, sevens, true, came_ns, carried.who, &carried.courier) ==
          kByCourier);
  CHECK(carried.drive->report().delivery_against_model.count() == 0);
  REQUIRE(carried.deliver());
  CHECK(carried.drive->report().delivery_against_model.count() == 1);
  CHECK(carried.courier.leaves_ns > came_ns);
  CHECK(carried.who.answered_ns == carried.courier.leaves_ns);
  REQUIRE(carried.read(512) == kByCourier);
  CHECK(carried.block == sevens);  // before it is due
  REQUIRE(carried.deliver());
  REQUIRE(carried.drive->flush(host_now_ns(), carried.who, &carried.courier) == kByCourier);
  REQUIRE(carried.deliver());
  CHECK(carried.courier.errors == std::vector<int>(3, 0));
  const CheckedLog checked = carried.check();
  CHECK(checked.completions == 2);
  CHECK(checked.flushes == 1);
  CHECK(checked.differ == 0);
}

TEST_CASE("a request has its place in the drive until its answer left") {
  Carried carried;
  for (int i = 0; i < 64; ++i) {
    REQUIRE(carried.read(512) == kByCourier);
    REQUIRE(carried.deliver());
  }
  CHECK(carried.check().differ == 0);
}

TEST_CASE("what an episode has fail is carried as an error") {
  Carried carried(R"({"what":"fail","of":"read","lbns":[3,3]},{"what":"fail","of":"flush"})");
  REQUIRE(carried.read(3 * 512) == kByCourier);
  REQUIRE(carried.deliver());
  REQUIRE(carried.read(4 * 512) == kByCourier);
  REQUIRE(carried.deliver());
  REQUIRE(carried.drive->flush(host_now_ns(), carried.who, &carried.courier) == kByCourier);
  REQUIRE(carried.deliver());
  CHECK(carried.courier.errors == std::vector<int>{EIO, 0, EIO});
  CHECK(carried.check().differ == 0);
}

TEST_CASE("an answer that is on its way when the power goes is none") {
  Carried carried;
  REQUIRE(carried.read(0) == kByCourier);
  while (!carried.courier.told) carried.drive->take_due();
  const auto on_its_way = carried.courier.told;
  REQUIRE(carried.drive->cut_power() == 0);
  CHECK(carried.courier.errors == std::vector<int>{0, ESHUTDOWN});
  CHECK_FALSE(on_its_way(host_now_ns()));
  CHECK(carried.read(0) == ESHUTDOWN);
  Connection again(carried.drive->power());
  REQUIRE(carried.drive->read(0, carried.block, host_now_ns(), again, &carried.courier) ==
          kByCourier);
  CHECK(carried.deliver());
  CHECK(carried.check().differ == 0);
}

TEST_CASE("at the end a courier is told of what is stuck, once") {
  Carried carried(R"({"what":"stuck","of":"read"})");
  REQUIRE(carried.read(0) == kByCourier);
  while (carried.drive->next_host_ns()) carried.drive->take_due();
  CHECK(carried.courier.errors.empty());
  carried.drive->end();
  carried.drive->end();
  CHECK(carried.courier.errors == std::vector<int>{ESHUTDOWN});
  CHECK(carried.read(0) == ESHUTDOWN);
}
