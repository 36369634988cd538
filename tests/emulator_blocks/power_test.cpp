// Drives whose power goes: who is answered, what is there afterwards, and what the log says of it.
#include <atomic>
#include <cerrno>
#include <random>
#include <thread>
#include <vector>

#include "catch.h"
#include "logged_drive.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;
using engine::testing::value;
using Block = std::vector<std::uint8_t>;

namespace {

// What is written waits in the cache until somebody asks for it: no time of the host matters.
model::DriveModel waiting_drive(bool persists) {
  model::DriveModel model = replay::testing::drive_model(true);
  model.queue.depth = value(8);
  model.cache.write_back_level = value(2);
  model.cache.segments = value(16);
  model.cache.write_segments = value(16);
  model.cache.segment_blocks = value(32);
  model.cache.destage_behind = value(1);
  model.cache.destage_idle = value(9e5);
  model.cache.written_persist = value(persists ? 1 : 0);
  return model;
}

struct ServedUntilCut : emulator::testing::LoggedDrive {
  explicit ServedUntilCut(bool loses, int speed, bool persists = false)
      : LoggedDrive(waiting_drive(persists), speed, {.write_cache_loss = loses}) {}

  void write(std::uint64_t at, std::uint8_t byte, bool through = false) {
    REQUIRE(drive->write(at, Block(4096, byte), through, host_now_ns(), drive->power()) == 0);
  }
  int at(std::uint64_t at) {
    Block block(4096);
    REQUIRE(drive->read(at, block, host_now_ns(), drive->power()) == 0);
    CHECK(block == Block(4096, block[0]));
    return block[0];
  }
};

}  // namespace

// holds: emulators.md: With `--write-cache-loss` the blocks
TEST_CASE("with the power goes what the cache has not written", "[power]") {
  ServedUntilCut served(true, 50);
  served.write(0, 1);
  served.write(8192, 1);
  REQUIRE(served.drive->flush(host_now_ns()) == 0);
  served.write(0, 2);
  served.write(16384, 2);
  served.write(32768, 2, true);
  CHECK(served.at(0) == 2);
  REQUIRE(served.drive->settle() == 0);
  REQUIRE(served.drive->cut_power() == 0);
  CHECK(served.drive->power() == 1);
  CHECK(served.at(0) == 1);
  CHECK(served.at(8192) == 1);
  CHECK(served.at(16384) == 0);
  CHECK(served.at(32768) == 2);
  CHECK(served.drive->report().power_cuts == 1);
  // Whoever came before has no drive any more; who comes now has one.
  Block block(4096);
  CHECK(served.drive->read(0, block, host_now_ns(), 0) == ESHUTDOWN);
  CHECK(served.drive->write(0, block, false, host_now_ns(), 0) == ESHUTDOWN);
  CHECK(served.drive->flush(host_now_ns(), 0) == ESHUTDOWN);
  CHECK(served.at(0) == 1);
  served.write(0, 3);
  REQUIRE(served.drive->zero(8192, 4096, false, host_now_ns(), 1) == 0);
  CHECK(served.at(8192) == 0);
  REQUIRE(served.drive->cut_power() == 0);
  CHECK(served.at(0) == 1);
  CHECK(served.at(8192) == 1);
  served.write(0, 3);
  REQUIRE(served.drive->zero(8192, 4096, false, host_now_ns(), 2) == 0);
  REQUIRE(served.drive->flush(host_now_ns(), 2) == 0);
  REQUIRE(served.drive->cut_power() == 0);
  CHECK(served.at(0) == 3);
  CHECK(served.at(8192) == 0);
  CHECK(served.check().differ == 0);
}

TEST_CASE("a cache that keeps what was written loses nothing", "[power]") {
  ServedUntilCut served(true, 50, true);
  served.write(0, 1);
  REQUIRE(served.drive->cut_power() == 0);
  CHECK(served.at(0) == 1);
}

// holds: emulators.md: Without `--write-cache-loss`
TEST_CASE("without losses all that was taken is there", "[power]") {
  ServedUntilCut served(false, 50);
  served.write(0, 1);
  REQUIRE(served.drive->cut_power() == 0);
  CHECK(served.at(0) == 1);
  CHECK(served.drive->report().power_cuts == 1);
}

// holds: emulators.md: What is outstanding when
TEST_CASE("what is outstanding has no answer when the power goes", "[power]") {
  ServedUntilCut served(true, 1);  // reads take milliseconds, or wait before the drive
  std::vector<std::thread> threads;
  std::atomic<int> answered{0}, cut_off{0}, other{0};
  for (unsigned number = 0; number < 24; ++number)
    threads.emplace_back([&, number] {
      std::mt19937 random(number);
      Block block(4096);
      for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t at = random() % 800 * 4096;
        const int status = random() % 2 == 0 ? served.drive->read(at, block, host_now_ns(), 0)
                                             : served.drive->write(at, block, random() % 2 == 0,
                                                                   host_now_ns(), 0);
        ++(status == 0 ? answered : status == ESHUTDOWN ? cut_off : other);
        if (status != 0) return;
      }
    });
  while (answered < 50) std::this_thread::yield();
  REQUIRE(served.drive->cut_power() == 0);
  for (std::thread& thread : threads) thread.join();
  CHECK(cut_off == 24);
  CHECK(other == 0);
  served.write(0, 7);
  CHECK(served.at(0) == 7);
  CHECK(served.check().differ == 0);
}

TEST_CASE("the log of a drive whose power went many times is the engine's", "[power]") {
  for (const bool loses : {false, true}) {
    ServedUntilCut served(loses, 100);
    std::atomic<bool> ends{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 12; ++number)
      threads.emplace_back([&, number] {
        std::mt19937 random(number);
        Block block(4096, static_cast<std::uint8_t>(number));
        while (!ends) {
          const std::uint64_t at = random() % 800 * 4096, power = served.drive->power();
          int status = 0;
          switch (random() % 4) {
            case 0:
              status = served.drive->flush(host_now_ns(), power);
              break;
            case 1:
              status = served.drive->read(at, block, host_now_ns(), power);
              break;
            default:
              status = served.drive->write(at, block, random() % 4 == 0, host_now_ns(), power);
          }
          wrong += status != 0 && status != ESHUTDOWN;
        }
      });
    for (int cut = 0; cut < 15; ++cut) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      wrong += served.drive->cut_power() != 0;
    }
    ends = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    const CheckedLog checked = served.check();
    INFO(checked.first_difference);
    CHECK(checked.differ == 0);
    CHECK(checked.completions > 50);
  }
}
