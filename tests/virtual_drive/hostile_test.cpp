// Whatever bytes arrive, the drive answers with a legal status and stays usable.
#include <algorithm>
#include <random>

#include "catch.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace {

constexpr std::uint8_t kOpcodes[] = {0x00, 0x03, 0x08, 0x0a, 0x12, 0x15, 0x1a, 0x1c, 0x1d, 0x25,
                                     0x28, 0x2a, 0x2b, 0x35, 0x37, 0x55, 0x5a, 0x88, 0x8a, 0x9e,
                                     0xa0, 0xb7, 0x1b, 0x2e, 0x2f, 0x34, 0x41, 0x4d, 0x8e, 0x8f,
                                     0x90, 0x91, 0x93, 0xa3, 0xa8, 0xaa, 0xae, 0xaf};

constexpr std::uint8_t kStartStopUnit = 0x1b;
const scsi::Command kStart = command({kStartStopUnit, 0, 0, 0, 0x01, 0});  // else no more is done

// A known opcode or any; few bits set, so that many pass the first checks.
scsi::Command random_command(std::mt19937& random) {
  scsi::Command built;
  const std::uint8_t lengths[] = {6, 10, 12, 16, 32};
  built.cdb_length = random() % 8 == 0 ? static_cast<std::uint8_t>(random() % 33)
                                       : lengths[random() % 5];
  for (auto& byte : built.cdb)
    if (random() % 3 == 0)
      byte = static_cast<std::uint8_t>(random() % 2 ? random() : 1u << random() % 8);
  built.cdb[0] = random() % 8 == 0 ? static_cast<std::uint8_t>(random())
                                   : kOpcodes[random() % std::size(kOpcodes)];
  if (random() % 2) built.cdb[1] = 0x10, built.cdb[2] &= 0x3f;
  built.direction = static_cast<scsi::Direction>(random() % 3);
  built.transfer_length = static_cast<std::uint32_t>(random() % (random() % 4 ? 64 : 200'000));
  if (built.direction == scsi::Direction::to_device) {
    built.data.resize(built.transfer_length);
    for (std::size_t i = 0; i < std::min<std::size_t>(built.data.size(), 100); ++i)
      built.data[i] = static_cast<std::uint8_t>(random() % 4 ? random() % 16 : random());
    if (random() % 2 && !built.data.empty()) built.data[0] = 0x40;
  }
  return built;
}

bool is_legal(scsi::Status status) {
  return status == scsi::Status::good || status == scsi::Status::check_condition ||
         status == scsi::Status::task_set_full;
}

}  // namespace

TEST_CASE("hostile commands never break the drive") {
  for (const char* level : {"SCSI-2", "SPC", "SPC-3", "SPC-4"}) {
    auto model = test_drive();
    model.firmware->scsi_level = level;
    model.imperfections = default_imperfections(3);
    model.imperfections->medium_errors = {0, 50, 7296};
    VirtualDevice device(model);
    std::mt19937 random(11);
    std::size_t good = 0;
    Nanoseconds before = 0;
    for (int i = 0; i < 50'000; ++i) {
      const auto what = random_command(random);
      const auto done = run(device, what);
      REQUIRE(is_legal(done.status));
      REQUIRE((done.status == scsi::Status::check_condition) == !done.sense.empty());
      if (!done.sense.empty()) REQUIRE(scsi::decode_sense(done.sense));
      REQUIRE(done.residual <= what.transfer_length);
      if (what.direction == scsi::Direction::from_device) {
        REQUIRE(done.data.size() + done.residual == what.transfer_length);
      } else {
        REQUIRE(done.data.empty());
      }
      REQUIRE(done.issued_ns == before);
      REQUIRE(done.completed_ns >= done.issued_ns);
      good += done.status == scsi::Status::good;
      if (what.opcode() == kStartStopUnit) run(device, kStart);
      before = device.clock().now_ns();
    }
    REQUIRE(good > 1000);
    REQUIRE(sense_of(run(device, read_10(100, 4))) == 0);
  }
}

TEST_CASE("hostile commands side by side all come back, in the order of time") {
  VirtualDevice device(test_drive());
  std::mt19937 random(12);
  std::size_t sent = 0, received = 0;
  Nanoseconds latest = 0;
  for (std::uint32_t tag = 0; tag < 10'000; ++tag) {
    REQUIRE(device.submit(random_command(random), tag));
    ++sent;
    if (random() % 3 == 0) {
      const auto wait_ns = static_cast<Nanoseconds>(random() % 10'000'000);
      const Nanoseconds deadline = device.clock().now_ns() + wait_ns;
      while (const auto done = device.reap_until(deadline).value()) {
        REQUIRE(done->completed_ns >= latest);
        REQUIRE(done->completed_ns <= deadline);
        latest = done->completed_ns;
        ++received;
      }
      REQUIRE(device.clock().now_ns() == deadline);
    }
    if (random() % 500 == 0) {
      sent = received;
      REQUIRE(device.reset());
    }
  }
  while (device.reap().value()) ++received;
  REQUIRE(sent == received);
}
