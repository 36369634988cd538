// Power conditions of a virtual drive whose model has them: mode page 1Ah, VPD page 8Ah, START STOP
// UNIT and REQUEST SENSE of them, and what waking up takes.

#include "catch.h"
#include "virtual_drive/newer_drive.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

model::DriveModel resting_drive() {
  auto model = spc4_drive();
  model.cache = {};
  model.power.emplace();
  model.power->idle_a = value(20);
  model.power->idle_b = value(500.2);
  model.power->standby_y = value(2000);
  model.power->standby_z = value(70'000);
  model.identity.power_timers = {{"idle_a", 2000}, {"standby_z", 600'000}};
  model.firmware->told_wake_share = 1.5;
  return model;
}

Bytes power_page(scsi::Device& device, std::uint8_t control = 0) {
  const auto page_and_control = static_cast<std::uint8_t>(control << 6 | 0x1a);
  const auto done = run(device, command({0x1a, 0x08, page_and_control, 0, 255, 0}, 255));
  REQUIRE(sense_of(done) == 0);
  return {done.data.begin() + 4, done.data.end()};
}

std::uint32_t set_power_page(scsi::Device& device, Bytes page) {
  Bytes list(4, 0);
  list.insert(list.end(), page.begin(), page.end());
  return sense_for(
      device, command_with({0x15, 0x10, 0, 0, static_cast<std::uint8_t>(list.size()), 0}, list));
}

std::uint32_t said_of_rest(scsi::Device& device) {
  const Bytes data = run(device, command({0x03, 0, 0, 0, 18, 0}, 18)).data;
  return static_cast<std::uint32_t>(data[12] << 8 | data[13]);
}

Nanoseconds read_ns(scsi::Device& device) { return run(device, read_10(5, 1, true)).response_ns(); }

void rest(scsi::Device& device, double seconds) {
  device.clock().sleep_until_ns(device.clock().now_ns() + static_cast<Nanoseconds>(seconds * 1e9));
}

scsi::Command to_condition(std::uint8_t condition, std::uint8_t modifier, bool immediate = false) {
  return command({0x1b, immediate, 0, modifier, static_cast<std::uint8_t>(condition << 4), 0});
}

}  // namespace

TEST_CASE("pages 1Ah and 8Ah are the model's: its conditions, its timers, its wake times") {
  VirtualDevice device(resting_drive());
  const Bytes page = power_page(device), mask = power_page(device, 1);
  CHECK(page[2] == 0);
  CHECK(page[3] == 0x03);  // idle_a, standby_z
  CHECK(scsi::get_be32(&page[4]) == 20);
  CHECK(scsi::get_be32(&page[8]) == 6000);
  CHECK(mask[2] == 0x01);  // standby_y
  CHECK(mask[3] == 0x07);  // no idle_c
  CHECK(scsi::get_be32(&mask[16]) == 0);
  CHECK(scsi::get_be32(&mask[20]) == 0xffffffff);
  const Bytes told = run(device, command({0x12, 1, 0x8a, 0, 255, 0}, 255)).data;
  REQUIRE(told.size() == 18);
  CHECK(told[4] == 0x03);
  CHECK(told[5] == 0x03);
  CHECK(scsi::get_be16(&told[8]) == 65535);  // more than it can say
  CHECK(scsi::get_be16(&told[10]) == 3000);
  CHECK(scsi::get_be16(&told[12]) == 30);
  CHECK(scsi::get_be16(&told[14]) == 751);
  CHECK(scsi::get_be16(&told[16]) == 0);
  VirtualDevice without(spc4_drive());
  CHECK(sense_for(without, command({0x12, 1, 0x8a, 0, 255, 0}, 255)) == 0x52400);
}

TEST_CASE("timers take a drive to rest, the next access wakes it, commands without media do not") {
  VirtualDevice device(resting_drive());
  const Nanoseconds awake_ns = read_ns(device);
  rest(device, 1.9);
  CHECK(said_of_rest(device) == 0);
  CHECK(read_ns(device) < awake_ns + 15 * kMillisecond);
  rest(device, 2);
  CHECK(said_of_rest(device) == 0x5e01);
  CHECK(sense_for(device, command({0x00, 0, 0, 0, 0, 0})) == 0);
  CHECK(said_of_rest(device) == 0x5e01);
  const Nanoseconds woken_ns = read_ns(device);
  CHECK(woken_ns >= 20 * kMillisecond);
  CHECK(woken_ns < 20 * kMillisecond + awake_ns + 15 * kMillisecond);
  CHECK(said_of_rest(device) == 0);
  rest(device, 601);
  CHECK(said_of_rest(device) == 0x5e02);
  CHECK(read_ns(device) >= 70 * kSecond);
  // INQUIRY and its like do not hold the timers off, others do.
  for (int i = 0; i < 3; ++i) {
    rest(device, 0.9);
    CHECK(sense_for(device, command({0x12, 0, 0, 0, 96, 0}, 96)) == 0);
  }
  CHECK(said_of_rest(device) == 0x5e01);
  CHECK(read_ns(device) >= 20 * kMillisecond);
  for (int i = 0; i < 3; ++i) {
    rest(device, 0.9);
    CHECK(sense_for(device, command({0x00, 0, 0, 0, 0, 0})) == 0);
  }
  CHECK(said_of_rest(device) == 0);
}

TEST_CASE("page 1Ah sets the timers, but where it cannot be changed, and a reset sets them back") {
  VirtualDevice device(resting_drive());
  Bytes page = power_page(device);
  page[3] = 0x04;  // idle_b alone
  scsi::put_be(&page[12], 4, 10);
  CHECK(set_power_page(device, page) == 0);
  CHECK(power_page(device) == page);
  rest(device, 1);
  CHECK(said_of_rest(device) == 0x5e05);
  CHECK(read_ns(device) >= 500 * kMillisecond);
  page[3] = 0x08;  // idle_c
  CHECK(set_power_page(device, page) == 0x52600);
  REQUIRE(device.reset());
  run(device, command({0x00, 0, 0, 0, 0, 0}));
  CHECK(power_page(device)[3] == 0x03);
  rest(device, 1.5);
  CHECK(said_of_rest(device) == 0);
  auto fixed = resting_drive();
  fixed.firmware->power_page_changeable = false;
  VirtualDevice other(fixed);
  Bytes off = power_page(other);
  off[3] = 0;
  CHECK(set_power_page(other, off) == 0x52600);
}

TEST_CASE("START STOP UNIT sends a drive to each of its conditions, and back") {
  VirtualDevice device(resting_drive());
  const Nanoseconds awake_ns = read_ns(device);
  struct Row {
    std::uint8_t condition, modifier;
    std::uint32_t said;
    double wake_ms;
  };
  for (const Row& row : {Row{2, 0, 0x5e03, 20},
                         {2, 1, 0x5e06, 500},
                         {3, 1, 0x5e0a, 2000},
                         {11, 0, 0x5e04, 70'000}}) {
    CAPTURE(row.said);
    CHECK(sense_for(device, to_condition(row.condition, row.modifier)) == 0);
    CHECK(said_of_rest(device) == row.said);
    const Nanoseconds woken_ns = read_ns(device);
    CHECK(woken_ns >= from_ms(row.wake_ms));
    CHECK(woken_ns < from_ms(row.wake_ms) + awake_ns + 15 * kMillisecond);
  }
  CHECK(sense_for(device, to_condition(2, 2)) == 0x52400);  // it has no idle_c
  CHECK(sense_for(device, to_condition(3, 2)) == 0x52400);
  CHECK(sense_for(device, to_condition(3, 1)) == 0);
  CHECK(run(device, to_condition(1, 0)).response_ns() >= 2 * kSecond);  // active
  CHECK(said_of_rest(device) == 0);
  CHECK(sense_for(device, to_condition(3, 1)) == 0);
  CHECK(run(device, to_condition(1, 0, true)).response_ns() < kMillisecond);
  CHECK(read_ns(device) >= 1900 * kMillisecond);
  // Stopped, it has to be started; that takes what standby_z does.
  CHECK(sense_for(device, command({0x1b, 0, 0, 0, 0, 0})) == 0);
  CHECK(sense_for(device, read_10(5, 1)) == 0x20402);
  CHECK(run(device, command({0x1b, 0, 0, 0, 1, 0})).response_ns() == 70 * kSecond);
  CHECK(read_ns(device) < awake_ns + 15 * kMillisecond);
}

TEST_CASE("power=yes and power=fixed give any drive power conditions, the same ones again") {
  for (const char* name :
       {"virtual:modern-500gb", "virtual:sas-147gb", "virtual:modern-random-3"}) {
    CAPTURE(name);
    const auto drive = virtual_model(name + std::string("?power=yes"));
    const auto again = virtual_model(name + std::string("?power=fixed"));
    REQUIRE(drive.power);
    CHECK(*drive.power->standby_z.value > *drive.power->idle_b.value);
    CHECK(*drive.power->idle_b.value > *drive.power->idle_a.value);
    CHECK(drive.power->idle_a.value == again.power->idle_a.value);
    CHECK(drive.firmware->power_page_changeable);
    CHECK_FALSE(again.firmware->power_page_changeable);
    CHECK_FALSE(virtual_model(name).power);
  }
  CHECK_THROWS(virtual_model("virtual:modern-500gb?power=maybe"));
}
