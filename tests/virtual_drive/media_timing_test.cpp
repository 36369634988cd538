// What commands of newer drives take: data on the bus, the medium, and how often it comes by.

#include "catch.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr Nanoseconds kRevolution_ns = 10 * kMillisecond;
constexpr Nanoseconds kBlock_ns = 100 * kMicrosecond;  // on the bus of slow_bus()

model::DriveModel slow_bus() {
  auto model = spc4_drive();
  model.bus.block_transfer = value(0.1);
  return model;
}

Nanoseconds time_of(scsi::Device& device, const scsi::Command& what) {
  const auto done = run(device, what);
  REQUIRE(sense_of(done) == 0);
  return done.response_ns();
}

}  // namespace

TEST_CASE("VERIFY with data has them over the bus before it asks the medium") {
  const auto verify_ns = [](std::uint8_t check, Bytes data) {
    auto model = slow_bus();
    model.bus.block_transfer = value(20);
    VirtualDevice device(model);
    const auto command = on_blocks(0x8f, 40, 8, static_cast<std::uint8_t>(check << 1));
    return time_of(device, data.empty() ? command : with_data(command, std::move(data)));
  };
  const Nanoseconds none_ns = verify_ns(0, {});
  CHECK(none_ns < 3 * kRevolution_ns);
  CHECK(verify_ns(1, unwritten(40, 8)) == none_ns + 8 * 20 * kMillisecond);
  auto filled = slow_bus();
  filled.bus.block_transfer = value(20);
  VirtualDevice same(filled);
  run(same, with_data(on_blocks(0x93, 40, 8), Bytes(512)));
  run(same, on_blocks(0x91, 0, 0));
  const Nanoseconds one_ns = time_of(same, with_data(on_blocks(0x8f, 40, 8, 0x06), Bytes(512)));
  CHECK(one_ns >= 20 * kMillisecond);
  CHECK(one_ns < 20 * kMillisecond + 3 * kRevolution_ns);
}

TEST_CASE("VERIFY that comes too late for its first block waits for it to come by again") {
  // At some start the plain one just catches its first block; with 8 blocks on the bus it does not.
  bool later = false;
  for (Nanoseconds start = 0; start < kRevolution_ns; start += 200 * kMicrosecond) {
    VirtualDevice plain(slow_bus()), comparing(slow_bus());
    plain.clock().sleep_until_ns(start);
    comparing.clock().sleep_until_ns(start);
    const Nanoseconds plain_ns = time_of(plain, on_blocks(0x2f, 40, 8));
    const Nanoseconds comparing_ns = time_of(
        comparing, with_data(on_blocks(0x2f, 40, 8, 0x02), unwritten(40, 8)));
    CHECK(comparing_ns >= plain_ns);
    const Nanoseconds more = comparing_ns - plain_ns;
    CHECK((more < 2 || (more > kRevolution_ns - 2 && more < kRevolution_ns + 2)));
    later |= more > kRevolution_ns / 2;
  }
  CHECK(later);
}

TEST_CASE("VERIFY waits for what its range has in the cache") {
  VirtualDevice dirty(spc4_drive()), clean(spc4_drive());
  run(dirty, write_10(50, Bytes(512, 1)));
  run(clean, write_10(50, Bytes(512, 1)));
  run(clean, command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Nanoseconds written = clean.clock().now_ns();
  const auto verified = run(dirty, on_blocks(0x2f, 50, 1));
  CHECK(verified.completed_ns > written);
  // The block passes the head once while it is written, and once while it is read.
  CHECK(verified.completed_ns - written >= kRevolution_ns - kMillisecond);
}

TEST_CASE("WRITE AND VERIFY is the write, and a revolution") {
  for (const std::uint8_t opcode : Bytes{0x2e, 0xae, 0x8e}) {
    VirtualDevice writing(spc4_drive()), verifying(spc4_drive());
    auto write = write_10(44, Bytes(4 * 512, 2));
    write.cdb[1] = 0x08;  // FUA
    const Nanoseconds write_ns = time_of(writing, write);
    const Nanoseconds both_ns = time_of(verifying,
                                        with_data(on_blocks(opcode, 44, 4), Bytes(4 * 512, 2)));
    CHECK(both_ns > write_ns + kRevolution_ns - kMillisecond);
    CHECK(both_ns < write_ns + kRevolution_ns + kMillisecond);
  }
}

TEST_CASE("a verify pass that cannot read takes all its retries") {
  auto model = spc4_drive();
  VirtualDevice good(model);
  model.imperfections.emplace().medium_errors = {47};
  VirtualDevice bad(model);
  const auto command = with_data(on_blocks(0x2e, 44, 4), Bytes(4 * 512, 2));
  const Nanoseconds good_ns = run(good, command).response_ns();
  CHECK(run(bad, command).response_ns() == good_ns + 8 * kRevolution_ns);
}

TEST_CASE("what comes behind WRITE AND VERIFY waits for both passes") {
  VirtualDevice device(spc4_drive());
  REQUIRE(device.submit(with_data(on_blocks(0x2e, 44, 4), Bytes(4 * 512, 2)), 1));
  REQUIRE(device.submit(read_10(5000, 1), 2));
  const auto first = device.reap().value(), second = device.reap().value();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->tag == 1);
  CHECK(second->tag == 2);
}

TEST_CASE("WRITE SAME sends one block and takes the medium's time for all") {
  VirtualDevice same(slow_bus()), plain(slow_bus()), fast(spc4_drive());
  constexpr std::uint16_t kBlocks = 200;
  auto write = write_10(0, Bytes(kBlocks * 512u, 2));
  write.cdb[1] = 0x08;
  const Nanoseconds plain_ns = time_of(plain, write);
  CHECK(plain_ns >= kBlocks * kBlock_ns);
  const Nanoseconds same_ns = time_of(same, with_data(on_blocks(0x41, 0, kBlocks), Bytes(512, 2)));
  const Nanoseconds tracks = kBlocks / 20;  // of the small drive's first zone
  CHECK(same_ns >= (tracks - 1) * kRevolution_ns);
  VirtualDevice none(slow_bus());
  CHECK(time_of(none, on_blocks(0x93, 0, kBlocks, 0x01)) >= (tracks - 1) * kRevolution_ns);
  // Where the bus is what takes long, one block on it is not two hundred.
  auto model = slow_bus();
  model.bus.block_transfer = value(20);
  VirtualDevice slow_same(model), slow_plain(model);
  CHECK(time_of(slow_plain, write) >= kBlocks * 20 * kMillisecond);
  CHECK(time_of(slow_same, with_data(on_blocks(0x41, 0, kBlocks), Bytes(512, 2))) <
        kBlocks * 20 * kMillisecond / 4);
}

TEST_CASE("PRE-FETCH brings blocks into the cache, sends nothing, and takes the medium's time") {
  for (const std::uint8_t opcode : Bytes{0x34, 0x90}) {
    VirtualDevice device(slow_bus()), reading(slow_bus());
    const auto fetched = run(device, on_blocks(opcode, 60, 8));
    CHECK(fetched.status == scsi::Status::good);
    CHECK(fetched.data.empty());
    const Nanoseconds read_ns = time_of(reading, read_10(60, 8));
    CHECK(fetched.response_ns() > kMillisecond);
    CHECK(fetched.response_ns() < read_ns);
    const Nanoseconds hit_ns = time_of(device, read_10(60, 8));
    CHECK(hit_ns == time_of(reading, read_10(60, 8)));
    CHECK(hit_ns < 8 * kBlock_ns + kMillisecond);
    CHECK(time_of(device, on_blocks(opcode, 60, 8)) < hit_ns);  // they are there
  }
}

TEST_CASE("PRE-FETCH with IMMED answers at once, and the blocks come all the same") {
  VirtualDevice device(spc4_drive());
  CHECK(time_of(device, on_blocks(0x34, 60, 8, 0x02)) == 100 * kMicrosecond);
  const Nanoseconds waits_ns = time_of(device, read_10(60, 8));
  CHECK(waits_ns > kMillisecond);  // they are still on their way
  VirtualDevice later(spc4_drive());
  time_of(later, on_blocks(0x34, 60, 8, 0x02));
  later.clock().sleep_until_ns(kSecond);
  CHECK(time_of(later, read_10(60, 8)) < kMillisecond);
}

TEST_CASE("PRE-FETCH reads no more than the cache has room for, and nothing without a cache") {
  VirtualDevice device(spc4_drive());
  const Nanoseconds all_ns = time_of(device, on_blocks(0x90, 0, 0));  // to the end
  CHECK(all_ns < kSecond);  // the whole drive would take some 370 revolutions
  auto model = spc4_drive();
  model.cache.read_enabled = value(0);
  VirtualDevice uncached(model);
  CHECK(time_of(uncached, on_blocks(0x90, 0, 100)) < kMillisecond);
}

TEST_CASE("the verify pass of WRITE AND VERIFY sends nothing") {
  auto model = slow_bus();
  model.bus.block_transfer = value(20);
  model.bus.write_block_transfer = value(0.02);
  VirtualDevice device(model);
  const Nanoseconds both_ns = time_of(device, with_data(on_blocks(0x2e, 44, 8), Bytes(8 * 512)));
  CHECK(both_ns < 4 * kRevolution_ns);
}

TEST_CASE("WRITE SAME reaches the medium before its answer, whatever the write cache") {
  VirtualDevice plain(spc4_drive()), same(spc4_drive());
  CHECK(time_of(plain, write_10(900, Bytes(512, 2))) < kMillisecond);
  CHECK(time_of(same, with_data(on_blocks(0x41, 900, 1), Bytes(512, 2))) > kMillisecond);
  CHECK(time_of(same, command({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0})) < kMillisecond);
}

TEST_CASE("what was prefetched stays in a cache that drops what was sent") {
  auto model = spc4_drive();
  model.cache.discards_after_transfer = value(1);
  model.cache.read_ahead = value(0);
  VirtualDevice device(model);
  time_of(device, on_blocks(0x34, 60, 8));
  CHECK(time_of(device, read_10(60, 8)) < kMillisecond);
}
