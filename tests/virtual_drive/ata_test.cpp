// A virtual ATA drive behind a SCSI / ATA translation.
#include <numeric>
#include <string>

#include "catch.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

model::DriveModel ata_drive() {
  auto model = test_drive();
  model.firmware->scsi_level.clear();  // SPC-3 by itself
  model.firmware->ata = true;
  model.firmware->cache_page_changeable = false;
  model.cache.write_back_level = value(2);
  model.imperfections = model::Imperfections{};
  model.imperfections->idle_condition_s = 1;
  model.imperfections->idle_condition_ms = 50;
  return model;
}

scsi::Command set_features(std::uint8_t feature, std::uint8_t count = 0) {
  return command({0x85, 0x06, 0, 0, feature, 0, count, 0, 0, 0, 0, 0, 0, 0, 0xef, 0});
}

Bytes identify(scsi::Device& device) {
  const auto done = run(device,
                        command({0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0}, 512));
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.data.size() == 512);
  return done.data;
}

unsigned word(const Bytes& data, std::size_t number) {
  return data[2 * number] | static_cast<unsigned>(data[2 * number + 1]) << 8;
}

}  // namespace

TEST_CASE("an ATA drive: INQUIRY, page 89h, IDENTIFY DEVICE by both forms") {
  VirtualDevice device(ata_drive());
  const auto inquiry = run(device, command({0x12, 0, 0, 0, 36, 0}, 36)).data;
  REQUIRE(std::string(inquiry.begin() + 8, inquiry.begin() + 16) == "ATA     ");
  REQUIRE(inquiry[2] == 5);
  const auto pages = run(device, command({0x12, 1, 0, 0, 252, 0}, 252)).data;
  REQUIRE(Bytes(pages.begin() + 4, pages.end()) == Bytes{0x00, 0x80, 0x83, 0x89, 0xb0, 0xb1});
  const auto page = run(device, command({0x12, 1, 0x89, 2, 0x3c, 0}, 572)).data;
  REQUIRE(page.size() == 572);
  REQUIRE(page[1] == 0x89);
  REQUIRE(page[56] == 0xec);
  const Bytes data = identify(device);
  REQUIRE(Bytes(page.begin() + 60, page.end()) == data);
  REQUIRE((std::accumulate(data.begin(), data.end(), 0u) & 0xff) == 0);
  const auto shorter = run(device, command({0xa1, 0x08, 0x0e, 0, 1, 0, 0, 0, 0, 0xec, 0, 0}, 512));
  REQUIRE(shorter.data == data);
  REQUIRE((word(data, 82) & 0x60) == 0x60);
  REQUIRE((word(data, 85) & 0x60) == 0x60);
  REQUIRE((word(data, 86) & 0x08) == 0x08);
  REQUIRE(word(data, 91) == 0x80);

  // What only a SCSI drive has, and what only an ATA drive has.
  REQUIRE(sense_of(run(device, command({0x1a, 0, 0x1a, 0, 192, 0}, 192))) == 0x52400);
  REQUIRE(sense_of(run(device, command({0x1a, 0, 0x04, 0, 192, 0}, 192))) == 0x52400);
  REQUIRE(sense_of(run(device, command({0x1a, 0, 0x08, 0, 192, 0}, 192))) == 0);
  auto scsi_model = ata_drive();
  scsi_model.firmware->ata = false;
  VirtualDevice scsi_drive(scsi_model);
  REQUIRE(sense_of(run(scsi_drive, set_features(0x82))) == 0x52000);
  REQUIRE(sense_of(run(scsi_drive, command({0x12, 1, 0x89, 0, 252, 0}, 252))) == 0x52400);
}

TEST_CASE("SET FEATURES: shown by IDENTIFY DEVICE and the caching page, seen in what reads take") {
  VirtualDevice device(ata_drive());
  REQUIRE(sense_of(run(device, set_features(0x82))) == 0);
  REQUIRE(sense_of(run(device, set_features(0x55))) == 0);
  REQUIRE(sense_of(run(device, set_features(0x85))) == 0);
  Bytes data = identify(device);
  CHECK((word(data, 85) & 0x60) == 0);
  CHECK((word(data, 86) & 0x08) == 0);
  CHECK(word(data, 91) == 0);
  auto caching = run(device, command({0x1a, 8, 0x08, 0, 192, 0}, 192)).data;
  CHECK((caching[4 + 2] & 0x05) == 0);  // WCE off; RCD cannot be set
  CHECK((caching[4 + 12] & 0x20) != 0);
  // Nothing is read ahead; what was read stays in the cache.
  run(device, read_10(100, 1));
  device.clock().sleep_until_ns(device.clock().now_ns() + 20 * kMillisecond);
  CHECK(run(device, read_10(101, 1)).response_ns() > kMillisecond);
  CHECK(run(device, read_10(101, 1)).response_ns() < kMillisecond);
  CHECK(run(device, read_10(101, 1, true)).response_ns() > kMillisecond);

  REQUIRE(sense_of(run(device, set_features(0x05, 0x40))) == 0);
  REQUIRE(sense_of(run(device, set_features(0x02))) == 0);
  REQUIRE(sense_of(run(device, set_features(0xaa))) == 0);
  data = identify(device);
  CHECK((word(data, 85) & 0x60) == 0x60);
  CHECK(word(data, 91) == 0x40);
  for (const int feature : {0x03, 0x10, 0x66, 0xc3})
    CHECK(sense_of(run(device, set_features(static_cast<std::uint8_t>(feature)))) == 0xb0000);
  CHECK(sense_of(run(device, set_features(0x05, 0))) == 0xb0000);
  device.reset();
  run(device, command({0, 0, 0, 0, 0, 0}));
  CHECK(word(identify(device), 91) == 0x80);
}

TEST_CASE("power management is what lets the drive rest") {
  VirtualDevice device(ata_drive());
  const auto after_a_rest = [&] {
    device.clock().sleep_until_ns(device.clock().now_ns() + 3 * kSecond);
    return run(device, command({0, 0, 0, 0, 0, 0})).response_ns();
  };
  CHECK(after_a_rest() > 40 * kMillisecond);
  run(device, set_features(0x85));
  CHECK(after_a_rest() < 5 * kMillisecond);
  run(device, set_features(0x05, 0xfe));  // most performance
  CHECK(after_a_rest() < 5 * kMillisecond);
  const auto mode = run(device,
                        command({0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe5, 0}));
  CHECK(sense_of(mode) == 0x1001d);
  CHECK(mode.sense[6] == 0xff);
  CHECK(sense_of(run(device, command({0x85, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0}))) ==
        0xb0000);
}
