// Drives over NBD that misbehave on time, served to many threads at a multiple of the host's time:
// nothing here depends on how busy the host is.
#include <atomic>
#include <cerrno>
#include <random>
#include <thread>
#include <vector>

#include "catch.h"
#include "fit.h"
#include "logged_drive.h"
#include "model/error.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;

namespace {

struct Misbehaving : emulator::testing::LoggedDrive {
  explicit Misbehaving(const std::string& list, int speed = 200, bool loses = false)
      : LoggedDrive(small_drive(), speed, {.write_cache_loss = loses}, list) {}
  static model::DriveModel small_drive() {
    model::DriveModel model = replay::testing::drive_model(true);
    model.queue.depth = engine::testing::value(32);
    return model;
  }

  int write(std::uint64_t lbn, std::uint8_t byte, bool through = false) {
    return drive->write(lbn * 512, std::vector<std::uint8_t>(512, byte), through, host_now_ns());
  }
  std::uint8_t block(std::uint64_t lbn) {
    std::vector<std::uint8_t> data(512);
    CHECK(drive->read(lbn * 512, data, host_now_ns()) == 0);
    return data[0];
  }
};

}  // namespace

// holds: emulators.md: What fails is neither returned nor stored
TEST_CASE("what fails over NBD is EIO, and stores nothing", "[episodes]") {
  for (const bool loses : {false, true}) {
    Misbehaving with(
        R"({"what":"fail","lbns":[10,10],"of":"read"},{"what":"fail","requests":[3,5],"of":"write"},)"
        R"({"what":"fail","of":"flush"})",
        200, loses);
    std::vector<std::uint8_t> data(512);
    CHECK(with.write(20, 1) == 0);
    CHECK(with.write(21, 1) == 0);
    CHECK(with.write(20, 2) == EIO);
    CHECK(with.write(21, 2, true) == EIO);
    CHECK(with.drive->zero(20 * 512, 1024, false, host_now_ns()) == EIO);
    CHECK(with.block(20) == 1);
    CHECK(with.block(21) == 1);
    CHECK(with.drive->read(10 * 512, data, host_now_ns()) == EIO);
    CHECK(with.drive->flush(host_now_ns()) == EIO);
    CHECK(with.write(20, 3) == 0);
    CHECK(with.block(20) == 3);
    const CheckedLog checked = with.check();
    INFO(checked.first_difference);
    CHECK(checked.differ == 0);
    CHECK(checked.episodes == 5);
  }
}

// holds: emulators.md: A request that is stuck can be aborted
TEST_CASE("what is stuck over NBD ends with its client, the power or the drive", "[episodes]") {
  Misbehaving with(R"({"what":"stuck","every_nth":2})");
  std::atomic<bool> gone{false};
  const Connection client(0, [&] { return gone.load(); });
  std::vector<std::uint8_t> data(512);
  CHECK(with.drive->read(0, data, host_now_ns(), client) == 0);
  const auto wait_for = [&](std::uint64_t stuck) {
    while (with.drive->report().episodes->at(0).requests < stuck) std::this_thread::yield();
  };
  const auto stick = [&](std::uint64_t number, const Connection& who, auto release) {
    std::atomic<int> ended{-1};
    std::thread stuck([&] {
      std::vector<std::uint8_t> its(512);
      ended = with.drive->read(512, its, host_now_ns(), who);
    });
    // The next one is served beside it.
    wait_for(number);
    CHECK(with.drive->read(1024, data, host_now_ns(), Connection(with.drive->power())) == 0);
    CHECK(ended == -1);
    release();
    stuck.join();
    return ended.load();
  };
  CHECK(stick(1, client, [&] { gone = true; }) == ESHUTDOWN);
  const Connection other(with.drive->power());
  CHECK(stick(2, other, [&] { with.drive->cut_power(); }) == ESHUTDOWN);
  const Connection third(with.drive->power());
  std::atomic<int> flushed{-1};
  std::thread flush([&] { flushed = with.drive->flush(host_now_ns(), third); });
  wait_for(3);
  with.drive->end();
  flush.join();
  CHECK(flushed == ESHUTDOWN);
  CHECK(with.check().differ == 0);
}

// holds: emulators.md: A log of episodes is checked
TEST_CASE("ten thousand requests of many threads misbehave: 0 differ", "[episodes]") {
  Misbehaving with(
      R"({"what":"slow","of":"read","probability":0.5,)"
      R"("delay_ms":{"distribution":"exponential","mean":2}},)"
      R"({"what":"throttle","factor":1.5,"of":"write"},{"what":"fail","probability":0.1},)"
      R"({"what":"stall","from_s":1,"for_s":0.5,"every_s":20})",
      2000);
  constexpr int kThreads = 16, kEach = 625;
  std::atomic<int> failed{0}, wrong{0};
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    running.emplace_back([&, thread] {
      std::mt19937_64 random(thread);
      std::vector<std::uint8_t> data(512);
      for (int i = 0; i < kEach; ++i) {
        const std::uint64_t offset = random() % with.table.identity.blocks * 512;
        const auto kind = random() % 16;
        const int error = kind == 0  ? with.drive->flush(host_now_ns())
                          : kind < 8 ? with.drive->write(offset, data, kind == 1, host_now_ns())
                                     : with.drive->read(offset, data, host_now_ns());
        failed += error == EIO ? 1 : 0;
        wrong += error != 0 && error != EIO ? 1 : 0;
      }
    });
  for (std::thread& each : running) each.join();
  CHECK(wrong == 0);
  const CheckedLog checked = with.check();
  INFO(checked.first_difference);
  CHECK(checked.differ == 0);
  CHECK(checked.completions + checked.flushes == kThreads * kEach);
  // Which fail is of their numbers, whoever's they are: the same in each run.
  CHECK(with.drive->report().episodes->at(2).requests == static_cast<std::uint64_t>(failed));
  const std::array<double, 2> found{static_cast<double>(failed), 10'000.0 - failed},
      expected{1000, 9000};
  CHECK(platter::testing::p_of_chi_squared(found, expected, 1) > 0.01);
}

TEST_CASE("a drive with a wrong file of episodes is not made", "[episodes]") {
  try {
    Misbehaving with(R"({"what":"fail"})");
    DriveSettings settings;
    settings.table = with.folder.path() + "/table";
    settings.episodes = with.folder.path() + "/table";
    const ServedDrive drive(settings, 0, with.clock, with.delay, nullptr);
    FAIL("it was");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    CHECK_THAT(error.what(), Catch::Contains("a file of episodes is needed"));
  }
}
