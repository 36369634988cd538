// Starting and stopping, and the pages of LOG SENSE; what INQUIRY says of the standards.

#include "catch.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr Nanoseconds kSpinUp_ns = 6 * kSecond;

scsi::Command start_stop(std::uint8_t power_condition, bool start, bool immediate = false) {
  return command({0x1b, immediate, 0, 0,
                  static_cast<std::uint8_t>(power_condition << 4 | (start ? 1 : 0)), 0});
}

const scsi::Command kReady = command({0x00, 0, 0, 0, 0, 0});

std::uint32_t requested_sense(scsi::Device& device) {
  const Bytes data = run(device, command({0x03, 0, 0, 0, 18, 0}, 18)).data;
  return static_cast<std::uint32_t>(data[2] << 16 | data[12] << 8 | data[13]);
}

Bytes log_page(scsi::Device& device, std::uint8_t page, std::uint8_t subpage = 0) {
  auto ask = command({0x4d, 0, page, subpage, 0, 0, 0, 1, 0, 0}, 256);
  ask.cdb[2] |= 0x40;  // cumulative
  const auto done = run(device, ask);
  REQUIRE(sense_of(done) == 0);
  REQUIRE(scsi::get_be16(&done.data[2]) == done.data.size() - 4);
  return done.data;
}

}  // namespace

TEST_CASE("a stopped drive answers nothing that needs the medium until it is started") {
  VirtualDevice device(spc4_drive());
  CHECK(sense_for(device, start_stop(0, false)) == 0);
  CHECK(sense_for(device, kReady) == 0x20402);
  for (const std::uint8_t opcode :
       Bytes{0x28, 0x2a, 0x2e, 0x2f, 0x34, 0x35, 0x41, 0x88, 0x8f, 0x91, 0x93, 0xa8, 0xaf}) {
    CAPTURE(int{opcode});
    CHECK(sense_for(device, on_blocks(opcode, 1, 1)) == 0x20402);
  }
  CHECK(sense_for(device, on_blocks(0x28, 1, 1, 0x20)) == 0x52400);  // a wrong CDB is wrong first
  CHECK(sense_for(device, command({0x12, 0, 0, 0, 96, 0}, 96)) == 0);
  CHECK(sense_for(device, command({0x1a, 0, 0x3f, 0, 255, 0}, 255)) == 0);
  CHECK(requested_sense(device) == 0x20402);
  REQUIRE(device.reset());
  CHECK(sense_for(device, kReady) == 0x62900);
  CHECK(sense_for(device, kReady) == 0x20402);  // a reset starts nothing

  const auto started = run(device, start_stop(0, true));
  CHECK(sense_of(started) == 0);
  CHECK(started.response_ns() == kSpinUp_ns);
  CHECK(sense_for(device, kReady) == 0);
  CHECK(run(device, start_stop(0, true)).response_ns() < kMillisecond);  // it spins already
}

TEST_CASE("with IMMED the answer is early, and the drive becomes ready meanwhile") {
  VirtualDevice device(spc4_drive());
  run(device, start_stop(0, false));
  const auto started = run(device, start_stop(0, true, true));
  CHECK(started.response_ns() < kMillisecond);
  CHECK(sense_for(device, kReady) == 0x20401);
  CHECK(requested_sense(device) == 0x20401);
  device.clock().sleep_until_ns(started.issued_ns + kSpinUp_ns - kMillisecond);
  CHECK(sense_for(device, read_10(5, 1)) == 0x20401);
  device.clock().sleep_until_ns(started.issued_ns + kSpinUp_ns);
  CHECK(sense_for(device, read_10(5, 1)) == 0);
}

TEST_CASE("power returns a stopped drive") {
  Target target(spc4_drive());
  target.submit(start_stop(0, false), 1, 0);
  REQUIRE(target.take(kSecond));
  target.power_cycle(2 * kSecond);
  target.submit(kReady, 2, 3 * kSecond);
  REQUIRE(target.take(4 * kSecond));  // told of the power-on
  target.submit(kReady, 3, 5 * kSecond);
  const auto ready = target.take(6 * kSecond);
  REQUIRE(ready);
  CHECK(ready->status == scsi::Status::good);
}

TEST_CASE("stopping writes what waits, unless it shall not") {
  const auto stop_ns = [](std::uint8_t flags) {
    VirtualDevice device(spc4_drive());
    run(device, write_10(5000, Bytes(512, 1)));
    return run(device, command({0x1b, 0, 0, 0, flags, 0})).response_ns();
  };
  CHECK(stop_ns(0x00) > kMillisecond);
  CHECK(stop_ns(0x04) < kMillisecond);
}

TEST_CASE("from standby the next command on the medium wakes the drive") {
  VirtualDevice device(spc4_drive());
  const Nanoseconds awake_ns = run(device, read_10(5, 1, true)).response_ns();
  CHECK(sense_for(device, start_stop(3, false)) == 0);
  CHECK(requested_sense(device) == 0x05e04);
  CHECK(sense_for(device, kReady) == 0);
  CHECK(requested_sense(device) == 0x05e04);  // TEST UNIT READY does not
  CHECK(run(device, read_10(5, 1, true)).response_ns() >= kSpinUp_ns);
  CHECK(requested_sense(device) == 0);
  CHECK(run(device, read_10(5, 1, true)).response_ns() < awake_ns + 20 * kMillisecond);
}

TEST_CASE("from idle it waits as long as the imperfection has it, once") {
  auto model = spc4_drive();
  model.imperfections.emplace();
  model.imperfections->idle_condition_s = 1000;
  model.imperfections->idle_condition_ms = 300;
  VirtualDevice device(model);
  CHECK(sense_for(device, start_stop(2, false)) == 0);
  CHECK(requested_sense(device) == 0x05e03);
  CHECK(run(device, read_10(5, 1, true)).response_ns() > 300 * kMillisecond);
  CHECK(run(device, read_10(5, 1, true)).response_ns() < 100 * kMillisecond);
}

TEST_CASE("power conditions are those of the mode page, and nothing is ejected") {
  VirtualDevice device(spc4_drive());
  for (const std::uint8_t known : Bytes{0, 1, 2, 3, 7, 10, 11})
    CHECK(sense_for(device, start_stop(known, true)) == 0);
  for (const std::uint8_t unknown : Bytes{4, 5, 6, 8, 9, 12, 13, 14, 15})
    CHECK(sense_for(device, start_stop(unknown, false)) == 0x52400);
  CHECK(sense_for(device, command({0x1b, 0, 0, 2, 0x20, 0})) == 0);        // idle_c
  CHECK(sense_for(device, command({0x1b, 0, 0, 3, 0x20, 0})) == 0x52400);  // no such
  CHECK(sense_for(device, command({0x1b, 0, 0, 2, 0x30, 0})) == 0x52400);
  CHECK(sense_for(device, command({0x1b, 0, 0, 0, 0x02, 0})) == 0x52400);  // LOEJ
  auto model = spc4_drive();
  model.firmware->ata = true;  // no page 1Ah
  VirtualDevice ata(model);
  CHECK(sense_for(ata, start_stop(3, false)) == 0x52400);
  CHECK(sense_for(ata, start_stop(0, false)) == 0);
  CHECK(sense_for(ata, kReady) == 0x20402);
}

TEST_CASE("log pages: the list, temperature and start-stop cycles") {
  VirtualDevice device(spc4_drive());
  CHECK(log_page(device, 0x00) == Bytes{0, 0, 0, 3, 0x00, 0x0d, 0x0e});
  CHECK(log_page(device, 0x00, 0xff) ==
        Bytes{0x40, 0xff, 0, 8, 0x00, 0, 0x00, 0xff, 0x0d, 0, 0x0e, 0});
  const Bytes temperature = log_page(device, 0x0d);
  REQUIRE(temperature.size() == 4 + 6 + 6);
  CHECK(temperature[0] == 0x0d);
  CHECK(temperature[4 + 5] > 0);
  CHECK(temperature[4 + 5] < temperature[10 + 5]);  // below the reference
  CHECK(scsi::get_be16(&temperature[10]) == 1);

  const auto cycles = [&] {
    const Bytes page = log_page(device, 0x0e);
    REQUIRE(page.size() == 4 + 8 + 8);
    REQUIRE(scsi::get_be16(&page[12]) == 4);
    return scsi::get_be32(&page[16]);
  };
  const std::uint32_t before = cycles();
  run(device, start_stop(0, false));
  CHECK(cycles() == before);
  run(device, start_stop(0, true));
  CHECK(cycles() == before + 1);
}

TEST_CASE("LOG SENSE refuses what it does not have, and begins where it is told") {
  VirtualDevice device(spc4_drive());
  const auto ask = [&](std::uint8_t flags, std::uint8_t page, std::uint8_t subpage,
                       std::uint8_t pointer, std::uint8_t room = 255) {
    return run(device, command({0x4d, flags, page, subpage, 0, 0, pointer, 0, room, 0}, 255));
  };
  CHECK(sense_of(ask(0x01, 0x0d, 0, 0)) == 0x52400);  // SP
  CHECK(sense_of(ask(0x02, 0x0d, 0, 0)) == 0x52400);  // PPC
  CHECK(sense_of(ask(0, 0x02, 0, 0)) == 0x52400);
  CHECK(sense_of(ask(0, 0x0d, 1, 0)) == 0x52400);
  CHECK(sense_of(ask(0, 0x00, 1, 0)) == 0x52400);
  CHECK(ask(0, 0x0d, 0, 1).data.size() == 4 + 6);
  CHECK(ask(0, 0x0d, 0, 1).data[5] == 1);
  CHECK(sense_of(ask(0, 0x0d, 0, 2)) == 0x52400);
  CHECK(ask(0, 0x0e, 0, 4).data.size() == 4 + 8);
  CHECK(sense_of(ask(0, 0x00, 0, 1)) == 0x52400);
  CHECK(ask(0, 0x0d, 0, 0, 7).data.size() == 7);
}

TEST_CASE("INQUIRY names the standards of a newer drive") {
  const auto inquiry = [](const char* level) {
    VirtualDevice device(drive_of(level));
    return run(device, command({0x12, 0, 0, 0, 255, 0}, 255)).data;
  };
  for (const char* old : {"SCSI-2", "SPC", "SPC-2"}) CHECK(inquiry(old).size() == 36);
  for (const char* newer : {"SPC-3", "SPC-4"}) {
    const Bytes data = inquiry(newer);
    REQUIRE(data.size() == 96);
    CHECK(data[4] == 91);
    CHECK(scsi::get_be16(&data[60]) == (std::string(newer) == "SPC-4" ? 0x0460 : 0x0300));
    CHECK(scsi::get_be16(&data[62]) == 0x04c0);  // SBC-3
    CHECK(scsi::get_be16(&data[66]) == 0);
  }
}

TEST_CASE("what comes behind the command that wakes the drive waits for the medium, too") {
  VirtualDevice device(spc4_drive());
  run(device, start_stop(3, false));
  const Nanoseconds begun = device.clock().now_ns();
  REQUIRE(device.submit(read_10(5, 1), 1));
  REQUIRE(device.submit(read_10(4000, 1), 2));
  REQUIRE(device.submit(kReady, 3));
  CHECK(device.reap().value()->tag == 3);  // the electronics are awake
  for (int i = 0; i < 2; ++i) {
    const auto done = device.reap().value();
    CHECK(done->status == scsi::Status::good);
    CHECK(done->completed_ns - begun >= kSpinUp_ns);
  }
}
