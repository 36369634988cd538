// Blocks that were never written, and the longest command that a drive takes.

#include "catch.h"
#include "scsi/replies.h"
#include "virtual_drive/test_drive.h"
#include "virtual_drive/unwritten_blocks.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

model::DriveModel trimmed_drive() {
  auto model = test_drive();
  model.firmware->scsi_level = "SPC-3";
  model.firmware->unwritten = {{500, 999}, {3000, 3099}};
  return model;
}

scsi::Command get_lba_status(std::uint8_t lbn_high, std::uint8_t lbn_low, std::uint8_t allocation) {
  return command({0x9e, 0x12, 0, 0, 0, 0, 0, 0, lbn_high, lbn_low, 0, 0, 0, allocation, 0, 0},
                 allocation);
}

}  // namespace

TEST_CASE("unwritten blocks: ranges that writes cut into") {
  UnwrittenBlocks blocks({{20, 29}, {10, 14}, {14, 19}, {40, 49}});
  CHECK(blocks.holds(10, 20));
  CHECK_FALSE(blocks.holds(9, 2));
  CHECK_FALSE(blocks.holds(29, 2));
  blocks.write(12, 3);
  CHECK(blocks.holds(10, 2));
  CHECK_FALSE(blocks.holds(12, 1));
  CHECK(blocks.holds(15, 15));
  blocks.write(28, 15);
  CHECK(blocks.run_at(15).end == 28);
  CHECK_FALSE(blocks.run_at(28).unwritten);
  CHECK(blocks.run_at(28).end == 43);
  CHECK(blocks.holds(43, 7));
  CHECK_FALSE(blocks.run_at(50).unwritten);
}

TEST_CASE(
    "unwritten blocks are answered with zeros and without the media, until they are written") {
  VirtualDevice device(trimmed_drive());
  const auto read = [&](std::uint32_t lbn) {
    device.clock().sleep_until_ns(device.clock().now_ns() + 7 * kMillisecond);
    return run(device, read_10(lbn, 1, true));
  };
  CHECK(read(2000).response_ns() > kMillisecond);
  CHECK(read(2000).data[7] == 0xd0);  // its LBN, 7D0h
  const auto fast = read(700);
  CHECK(fast.response_ns() < kMillisecond);
  CHECK(fast.data == Bytes(512, 0));
  for (const std::uint32_t lbn : {499u, 1000u}) CHECK(read(lbn).data[7] != 0);
  for (const std::uint32_t lbn : {500u, 999u, 3000u, 3099u}) CHECK(read(lbn).data == Bytes(512, 0));
  run(device, write_10(700, Bytes(512, 7)));
  CHECK(read(700).data == Bytes(512, 7));
  CHECK(read(700).response_ns() > kMillisecond);
  CHECK(read(701).response_ns() < kMillisecond);
}

TEST_CASE("GET LBA STATUS and READ CAPACITY(16) tell of unwritten blocks") {
  VirtualDevice device(trimmed_drive());
  const auto capacity = scsi::decode_capacity_16(
      run(device, command({0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0}, 32)).data);
  REQUIRE(capacity);
  CHECK(capacity->provisioned);
  const auto all = scsi::decode_lba_status(run(device, get_lba_status(0, 0, 248)).data);
  REQUIRE(all.size() == 5);
  CHECK(all[0].mapped);
  CHECK((all[1].range.first == 500 && all[1].range.last == 999 && !all[1].mapped));
  CHECK((all[3].range.first == 3000 && all[3].range.last == 3099 && !all[3].mapped));
  CHECK(all[4].range.last == capacity->blocks - 1);
  const auto some = scsi::decode_lba_status(run(device, get_lba_status(2, 0xbc, 24)).data);  // 700
  REQUIRE(some.size() == 1);
  CHECK((some[0].range.first == 700 && some[0].range.last == 999 && !some[0].mapped));

  VirtualDevice old(test_drive());
  CHECK(sense_of(run(old, get_lba_status(0, 0, 24))) == 0x52000);
  auto full = trimmed_drive();
  full.firmware->unwritten.clear();
  VirtualDevice whole(full);
  CHECK(sense_of(run(whole, get_lba_status(0, 0, 24))) == 0x52400);
}

TEST_CASE("a drive refuses commands that are longer than page B0h says") {
  auto model = trimmed_drive();
  model.firmware->most_transfer_blocks = 16;
  VirtualDevice device(model);
  const auto limits =
      scsi::decode_block_limits(run(device, command({0x12, 1, 0xb0, 0, 64, 0}, 64)).data);
  REQUIRE(limits);
  CHECK(limits->max_transfer_blocks == 16);
  CHECK(sense_of(run(device, read_10(0, 16))) == 0);
  CHECK(sense_of(run(device, read_10(0, 17))) == 0x52400);
  CHECK(sense_of(run(device, command({0x08, 0, 0, 0, 17, 0}, 17 * 512))) == 0x52400);
  CHECK(sense_of(run(device, write_10(0, Bytes(17 * 512)))) == 0x52400);
}
