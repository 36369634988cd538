// One drive of two arms as two logical units, and these joined again.

#include "virtual_drive/split_units.h"

#include "catch.h"
#include "scsi/joined_units.h"
#include "scsi/replies.h"
#include "virtual_drive/newer_drive.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace split_units {
namespace {

using Bytes = std::vector<std::uint8_t>;

model::DriveModel two_armed_drive() {
  auto drive = spc4_drive();
  drive.layout.skips.clear();
  drive.layout.remaps.clear();
  drive.layout.zones[1].cylinder = 0;
  drive.layout.zones[1].head = 4;
  const std::uint64_t blocks = 60 * 4 * 20, all = blocks + 40 * 4 * 16;
  drive.arms = model::Arms{.ranges = {{0, blocks - 1, 0}, {blocks, all - 1, 1}},
                           .interference = value(0)};
  return drive;
}

std::uint64_t capacity(scsi::Device& device) {
  return scsi::get_be32(run(device, command({0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8)).data.data()) +
         1U;
}

Bytes page(scsi::Device& device, std::uint8_t number) {
  return run(device, command({0x12, 1, number, 0, 255, 0}, 255)).data;
}

}  // namespace

TEST_CASE("each unit is a range: its capacity, its blocks, its name; the target is one") {
  const SplitUnits units(two_armed_drive(), "drive");
  const auto first = units.unit(0, "first"), second = units.unit(1, "second");
  CHECK(capacity(*first) == 4800);
  CHECK(capacity(*second) == 2560);
  CHECK(run(*second, read_10(5, 1)).data[6] == (4805 >> 8));  // what no one wrote: its number
  CHECK(sense_for(*first, read_10(4800, 1)) == 0x52100);
  CHECK(sense_for(*second, read_10(2559, 2)) == 0x52100);
  CHECK(sense_for(*first, command({0x12, 1, 0xb9, 0, 255, 0}, 255)) == 0x52400);
  const Bytes luns = run(*first, command({0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0}, 255)).data;
  CHECK(luns.size() == 24);
  CHECK(luns[17] == 1);
  const Bytes of_first = page(*first, 0x83), of_second = page(*second, 0x83);
  CHECK(scsi::decode_designators(of_first) != scsi::decode_designators(of_second));
  CHECK(scsi::decode_target_designators(of_first) == scsi::decode_target_designators(of_second));
  CHECK(scsi::decode_target_designators(of_first).size() == 2);
}

TEST_CASE("joined they answer as the drive does, also across the boundary") {
  const model::DriveModel model = two_armed_drive();
  VirtualDevice whole(model);
  const SplitUnits units(model, "drive");
  scsi::JoinedUnits joined(units.unit(0, "first"), units.unit(1, "second"));
  CHECK(joined.unit_blocks() == std::vector<std::uint64_t>{4800, 2560});
  CHECK(capacity(joined) == 7360);
  Bytes content(4 * 512);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(i / 7);
  for (scsi::Device* device :
       {static_cast<scsi::Device*>(&whole), static_cast<scsi::Device*>(&joined)})
    CHECK(sense_for(*device, write_10(4798, content)) == 0);
  for (const std::uint32_t lbn : {0U, 4790U, 4797U, 4799U, 4800U, 7350U})
    CHECK(run(joined, read_10(lbn, 8)).data == run(whole, read_10(lbn, 8)).data);
  CHECK(run(joined, read_10(4798, 4)).data == content);
  CHECK(sense_for(joined, read_10(7360, 1)) == 0x52100);
  const auto read_6 = [](int lbn, std::uint8_t blocks) {
    return command(
        {0x08, 0, static_cast<std::uint8_t>(lbn >> 8), static_cast<std::uint8_t>(lbn), blocks, 0},
        blocks * 512U);
  };
  for (const int lbn : {0, 4790, 4797, 4800, 7350})
    CHECK(run(joined, read_6(lbn, 8)).data == run(whole, read_6(lbn, 8)).data);
  CHECK(sense_for(joined, command({0x1d, 0x10, 0, 0, 0, 0})) == 0x52000);
}

TEST_CASE("reads of both units go on at once, and each is told when it came") {
  auto model = two_armed_drive();
  model.cache = {};
  const SplitUnits units(model, "drive");
  scsi::JoinedUnits joined(units.unit(0, "first"), units.unit(1, "second"));
  VirtualDevice whole(model);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t a = i * 211 % 4800, b = 4800 + i * 97 % 2560;
    REQUIRE(joined.submit(read_10(a, 1), 1));
    REQUIRE(joined.submit(read_10(b, 1), 2));
    const auto one = joined.reap().value(), other = joined.reap().value();
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->tag + other->tag == 3);
    CHECK(one->response_ns() < 60 * kMillisecond);
    CHECK(one->completed_ns <= other->completed_ns);
  }
  CHECK_FALSE(joined.reap().value());
}

TEST_CASE("what is not of one target is not joined; names of units") {
  CHECK_THROWS(scsi::JoinedUnits(std::make_unique<VirtualDevice>(two_armed_drive(), "a"),
                                 std::make_unique<VirtualDevice>(two_armed_drive(), "b")));
  const std::string name = "virtual:modern-2arms?seed=3&lun=";
  const auto both = open_units({name + "0", name + "1"});
  REQUIRE(both[0]);
  CHECK_FALSE(open_units({name + "0", name + "0"})[0]);
  CHECK_FALSE(open_units({"virtual:modern-2arms", name + "1"})[0]);
  CHECK_THROWS(open_unit(name + "2"));
  const auto half = open_unit("virtual:quantum-atlas10k?lun=1");  // of one arm's
  run(*half, command({0x00, 0, 0, 0, 0, 0}));                     // told of the power-on
  CHECK(capacity(*half) > 8'000'000);
}

}  // namespace split_units
