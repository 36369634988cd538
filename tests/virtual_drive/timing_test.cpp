// With all imperfections off, a virtual drive is as fast as its engine, to the nanosecond.
#include <random>

#include "catch.h"
#include "engine/engine.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

TEST_CASE("one command at a time takes what the engine says, and nothing more") {
  const auto model = test_drive();
  VirtualDevice device(model);
  engine::Engine engine(model);
  engine.set_cache({}, 0);
  std::mt19937 random(1);
  bool some_hit = false, some_miss = false;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const auto lbn = static_cast<std::uint32_t>(random() % (engine.blocks() - 40));
    const auto blocks = static_cast<std::uint16_t>(1 + random() % 20);
    const bool write = random() % 3 == 0;
    const bool near = random() % 2 == 0;
    engine::Request request;
    request.lbn = near ? lbn % 100 : lbn;
    request.blocks = blocks;
    request.write = write;
    const auto place = static_cast<std::uint32_t>(request.lbn);
    const auto expected = engine.service(request, device.clock().now_ns());
    const auto done = run(device, write ? write_10(place, std::vector<std::uint8_t>(blocks * 512u))
                                        : read_10(place, blocks));
    REQUIRE(done.status == scsi::Status::good);
    REQUIRE(done.completed_ns == expected.completion_ns);
    REQUIRE(device.clock().now_ns() == done.completed_ns);
    (expected.cache_hit ? some_hit : some_miss) = true;
    device.clock().sleep_until_ns(device.clock().now_ns() + random() % 30'000'000);
  }
  REQUIRE(some_hit);
  REQUIRE(some_miss);
}

TEST_CASE("SEEK(10) and SYNCHRONIZE CACHE take the engine's time") {
  const auto model = test_drive();
  VirtualDevice device(model);
  engine::Engine engine(model);
  const auto seek = run(device, command({0x2b, 0, 0, 0, 0x10, 0, 0, 0, 0, 0}));
  REQUIRE(seek.completed_ns == engine.seek(0x1000, 0));
  const Nanoseconds now = device.clock().now_ns();
  engine::Request write;
  write.lbn = 50;
  write.write = true;
  REQUIRE(run(device, write_10(50, std::vector<std::uint8_t>(512))).completed_ns ==
          engine.service(write, now).completion_ns);
  const Nanoseconds clean = engine.synchronize(device.clock().now_ns());
  REQUIRE(clean > device.clock().now_ns() + kMillisecond);
  const auto immediate = run(device, command({0x35, 2, 0, 0, 0, 0, 0, 0, 0, 0}));
  REQUIRE(immediate.response_ns() == 100 * kMicrosecond);
  REQUIRE(run(device, command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0})).completed_ns == clean);
}

TEST_CASE("VERIFY reads the media past the cache, sends nothing and leaves the cache as it was") {
  const auto model = test_drive();
  VirtualDevice device(model), other(model);
  const auto verify = [&](std::uint8_t lbn, std::uint8_t blocks) {
    return run(device, command({0x2f, 0, 0, 0, 0, lbn, 0, 0, blocks, 0}));
  };
  // From the media: not before a read of the same block would have its first, nor after its last
  // was sent.
  const auto verified = verify(50, 4);
  const auto read = run(other, read_10(50, 4));
  CHECK(verified.status == scsi::Status::good);
  CHECK(verified.data.empty());
  CHECK(verified.completed_ns < read.completed_ns);
  // It comes from the media however often, and brings nothing in.
  const Nanoseconds revolution =
      static_cast<Nanoseconds>(static_cast<double>(model.rotation.numerator_ns) /
                               static_cast<double>(model.rotation.denominator));
  run(device, read_10(50, 4));
  const Nanoseconds hit = run(device, read_10(50, 4)).response_ns();
  for (int i = 0; i < 3; ++i) CHECK(verify(50, 4).response_ns() > hit);
  const Nanoseconds first = verify(50, 4).completed_ns, second = verify(50, 4).completed_ns;
  CHECK((second - first) % revolution < 2);
  CHECK(second - first >= revolution - 1);
  CHECK(run(device, read_10(50, 4)).response_ns() == hit);
  CHECK(verify(255, 0).status == scsi::Status::good);
  CHECK(run(device, command({0x2f, 0x02, 0, 0, 0, 50, 0, 0, 1, 0})).status ==
        scsi::Status::check_condition);
}

TEST_CASE(
    "a command that needs no media takes what comes before the cache is looked into, and a hit's "
    "overhead") {
  auto model = test_drive();
  const auto ready_ns = [&] {
    VirtualDevice device(model);
    return run(device, command({0x00, 0, 0, 0, 0, 0})).response_ns();
  };
  model.overheads.read_hit_after_read = value(0.1);
  model.overheads.per_request = {};
  CHECK(ready_ns() == 100 * kMicrosecond);
  model.overheads.per_request = value(0.03);
  CHECK(ready_ns() == 130 * kMicrosecond);
  model.overheads.per_request = model.overheads.read_hit_after_read = {};
  CHECK(ready_ns() == 200 * kMicrosecond);
}

TEST_CASE("several outstanding commands complete as the engine completes them") {
  const auto model = test_drive();
  VirtualDevice device(model);
  engine::Engine engine(model);
  for (std::uint32_t tag = 1; tag <= 20; ++tag) {
    engine::Request request;
    request.lbn = tag * 311;
    request.blocks = 2;
    request.tag = tag;
    REQUIRE(engine.submit(request, 0));
    REQUIRE(device.submit(read_10(tag * 311, 2), tag));
  }
  REQUIRE_FALSE(device.reap_until(kMillisecond / 10).value());
  REQUIRE(device.clock().now_ns() == kMillisecond / 10);
  while (const auto expected = engine.next_completion()) {
    const auto done = device.reap().value();
    REQUIRE(done);
    REQUIRE(done->tag == expected->tag);
    REQUIRE(done->completed_ns == expected->completion_ns);
    REQUIRE(done->issued_ns == 0);
  }
  REQUIRE_FALSE(device.reap().value());
}

TEST_CASE("a command that arrives while others are in service is handed out in its turn") {
  VirtualDevice device(test_drive());
  REQUIRE(device.submit(read_10(4000, 1), 1));
  device.clock().sleep_until_ns(kMillisecond);
  REQUIRE(device.submit(command({0x00, 0, 0, 0, 0, 0}), 2));
  REQUIRE_FALSE(device.submit(command({0x00, 0, 0, 0, 0, 0}), 2));  // the tag is in use
  const auto first = device.reap().value();
  REQUIRE(first->tag == 2);
  REQUIRE(first->issued_ns == kMillisecond);
  REQUIRE(first->response_ns() == 100 * kMicrosecond);
  REQUIRE(device.reap_until(kSecond).value()->tag == 1);
  REQUIRE_FALSE(device.reap_until(kSecond).value());
  REQUIRE(device.clock().now_ns() == kSecond);
}

TEST_CASE("past 64 outstanding commands the answer is TASK SET FULL") {
  VirtualDevice device(test_drive());
  REQUIRE(device.max_outstanding() == 64);
  for (std::uint32_t tag = 0; tag < 64; ++tag) REQUIRE(device.submit(read_10(tag * 50, 1), tag));
  REQUIRE(device.submit(write_10(7, std::vector<std::uint8_t>(512, 0xaa)), 64));
  const auto refused = device.reap().value();
  REQUIRE(refused->tag == 64);
  REQUIRE(refused->status == scsi::Status::task_set_full);
  REQUIRE(refused->residual == 512);
  for (int i = 0; i < 64; ++i) REQUIRE(device.reap().value()->status == scsi::Status::good);
  REQUIRE_FALSE(device.reap().value());
  REQUIRE(run(device, read_10(7, 1)).data[0] == 0);  // the refused write has not been done
}

TEST_CASE("a reset drops what is outstanding and is told to the next command") {
  VirtualDevice device(test_drive());
  REQUIRE(device.submit(read_10(4000, 1), 1));
  REQUIRE(device.reset());
  REQUIRE_FALSE(device.reap().value());
  REQUIRE(sense_of(run(device, read_10(4000, 1))) == 0x62900);
  REQUIRE(sense_of(run(device, read_10(4000, 1))) == 0);
}
