#include "transport/exec.h"

#include <random>

#include "catch.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/sense.h"
#include "source_folder.h"

namespace platter::transport {
namespace {

using namespace std::chrono_literals;
using scsi::Completion;
using scsi::TransportError;

std::string program(const std::string& line) {
  return "python3 '" + source_folder() + "/tests/transport/'" + line;
}

Completion must(scsi::Expected<std::optional<Completion>> result) {
  if (!result) FAIL(result.error().sentence);
  REQUIRE(*result);
  return **result;
}

void must(const scsi::Expected<void>& result) {
  if (!result) FAIL(result.error().sentence);
}

TEST_CASE("an honest program is a drive: identity, reads, writes, sense, virtual time") {
  ExecDevice device(program("drive.py"));
  scsi::Guard guard(device, {.writes = {{5, 6}}});
  scsi::Drive drive(guard, device.name());
  const auto& identity = drive.identify();
  CHECK(identity.vendor == "PLATTER");
  CHECK(identity.product == "TINY DRIVE");
  CHECK(identity.blocks == 1000);

  const auto before = drive.now_ns();
  const auto read = drive.read(7, 3);
  CHECK(read.response_ns() == 4 * kMillisecond);
  CHECK(read.issued_ns == before);
  CHECK(drive.now_ns() == before + 4 * kMillisecond);
  const auto data = drive.contents(7, 3);
  REQUIRE(data.size() == 3 * 512);
  CHECK(data[0] == 7);
  CHECK(data[1535] == 9);

  drive.rest_ns(kSecond);
  CHECK(drive.read(1).issued_ns == before + 8 * kMillisecond + kSecond);
  drive.write(5, 2);
  CHECK(drive.bytes_written() == 1024);

  try {
    drive.read(999, 2);
    FAIL("an impossible read succeeded");
  } catch (const scsi::DriveError& error) {
    REQUIRE(error.sense);
    CHECK(error.sense->asc == 0x21);
  }
}

TEST_CASE("several commands at once complete one by one, each with its tag and time") {
  ExecDevice device(program("drive.py"));
  for (std::uint32_t tag = 1; tag <= 5; ++tag) must(device.submit(scsi::read_10(tag, 1, 512), tag));
  for (std::uint32_t tag = 1; tag <= 5; ++tag) {
    const auto done = must(device.reap());
    CHECK(done.tag == tag);
    CHECK(done.issued_ns == 0);
    CHECK(done.completed_ns == 2 * tag * kMillisecond);
    CHECK(done.data.at(0) == tag);
    CHECK(device.clock().now_ns() == done.completed_ns);
  }
  CHECK_FALSE(*device.reap());
}

TEST_CASE("an arrival at a later time finds what completed before it kept for reaping") {
  ExecDevice device(program("drive.py"));
  must(device.submit(scsi::read_10(1, 1, 512), 1));  // done at 2 ms
  must(device.submit(scsi::read_10(2, 1, 512), 2));  // done at 4 ms
  device.clock().sleep_until_ns(3 * kMillisecond);
  must(device.submit(scsi::read_10(3, 1, 512), 3));  // arrives at 3 ms, done at 6 ms
  CHECK(device.clock().now_ns() == 3 * kMillisecond);
  const auto first = must(device.reap());
  CHECK(first.tag == 1);
  CHECK(first.completed_ns == 2 * kMillisecond);
  CHECK(must(device.reap()).tag == 2);
  const auto third = must(device.reap());
  CHECK(third.tag == 3);
  CHECK(third.issued_ns == 3 * kMillisecond);
  CHECK(third.completed_ns == 6 * kMillisecond);
  CHECK_FALSE(*device.reap());
}

TEST_CASE("reap_until lets time pass, and no further than asked") {
  ExecDevice device(program("drive.py"));
  CHECK_FALSE(*device.reap_until(kMillisecond));
  CHECK(device.clock().now_ns() == kMillisecond);
  must(device.submit(scsi::read_10(1, 1, 512), 1));
  must(device.submit(scsi::read_10(2, 1, 512), 2));
  CHECK_FALSE(*device.reap_until(2 * kMillisecond));
  CHECK(device.clock().now_ns() == 2 * kMillisecond);
  CHECK(must(device.reap_until(10 * kMillisecond)).completed_ns == 3 * kMillisecond);
  CHECK(must(device.reap_until(10 * kMillisecond)).completed_ns == 5 * kMillisecond);
  CHECK_FALSE(*device.reap_until(10 * kMillisecond));
  CHECK(device.clock().now_ns() == 10 * kMillisecond);
  must(device.submit(scsi::test_unit_ready(), 1));
  CHECK(must(device.reap()).issued_ns == 10 * kMillisecond);
}

TEST_CASE("property: random arrivals at random times all complete, in the order of time") {
  ExecDevice device(program("drive.py"));
  std::mt19937 random(3);
  std::uint32_t tag = 0;
  std::size_t outstanding = 0, reaped = 0;
  Nanoseconds last = 0;
  const auto took = [&](const std::optional<Completion>& done) {
    if (!done) return;
    CHECK(done->completed_ns >= last);
    CHECK(done->completed_ns >= done->issued_ns + kMillisecond);
    last = done->completed_ns;
    --outstanding;
    ++reaped;
  };
  for (int i = 0; i < 600; ++i) {
    device.clock().sleep_until_ns(device.clock().now_ns() + random() % (3 * kMillisecond));
    if (outstanding < 30 && random() % 3) {
      const auto issued = device.clock().now_ns();
      must(device.submit(
          scsi::read_10(random() % 900, static_cast<std::uint32_t>(1 + random() % 3), 512), ++tag));
      CHECK(device.clock().now_ns() == issued);
      ++outstanding;
    } else if (random() % 2) {
      took(*device.reap());
    } else {
      took(*device.reap_until(device.clock().now_ns() + random() % (2 * kMillisecond)));
    }
  }
  while (outstanding) took(*device.reap());
  CHECK(reaped == tag);
  CHECK(reaped > 200);
}

TEST_CASE("a reset drops what is outstanding") {
  ExecDevice device(program("drive.py"));
  must(device.submit(scsi::read_10(1, 1, 512), 1));
  must(device.submit(scsi::read_10(2, 1, 512), 2));
  CHECK_FALSE(*device.reap_until(kMillisecond));
  must(device.submit(scsi::read_10(3, 1, 512), 3));
  must(device.reset());
  CHECK_FALSE(*device.reap());
  must(device.submit(scsi::test_unit_ready(), 1));
  CHECK(must(device.reap()).response_ns() == kMillisecond);
}

TEST_CASE("data that nobody wants are not kept") {
  ExecDevice device(program("drive.py"));
  auto command = scsi::read_10(1, 4, 512);
  command.keep_data = false;
  const auto done = device.execute(command);
  REQUIRE(done);
  CHECK(done->data.empty());
  CHECK(done->residual == 0);
}

TEST_CASE("megabytes in both directions pass whole") {
  ExecDevice device(program("chatty.py"));
  std::vector<std::uint8_t> data(4 << 20);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i);
  auto write = scsi::write_10(0, 8192, data);
  must(device.submit(scsi::read_16(0, 16384, 512), 1));
  CHECK(must(device.reap()).data.size() == 8 << 20);
  must(device.submit(write, 2));
  CHECK(must(device.reap()).residual == 0);
}

TEST_CASE("the longest commands that a drive takes are as long as the protocol's messages hold") {
  ExecDevice device(program("chatty.py"));
  const std::uint32_t blocks = device.max_transfer_bytes() / 512;
  must(device.submit(scsi::read_16(0, blocks, 512), 1));
  CHECK(must(device.reap()).data.size() == std::size_t{blocks} * 512);
  std::vector<std::uint8_t> data(std::size_t{blocks} * 512);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i);
  must(device.submit(scsi::write_16(0, blocks, data), 2));
  CHECK(must(device.reap()).residual == 0);
}

TEST_CASE("what exceeds the protocol is refused before it is sent") {
  ExecDevice device(program("drive.py"));
  const auto kind = [&](const scsi::Command& command, std::uint32_t tag = 9) {
    const auto result = device.submit(command, tag);
    REQUIRE_FALSE(result);
    return result.error().kind;
  };
  CHECK(kind(scsi::read_16(0, 1 << 15, 512)) == TransportError::Kind::refused);
  // 24 fixed bytes of a reply and 252 of sense data; 22 of a request and a CDB of 32 take less.
  const std::uint32_t most = device.max_transfer_bytes();
  CHECK(most == (16 << 20) - 24 - 252);
  CHECK(kind(scsi::read_16(0, 1, most + 1)) == TransportError::Kind::refused);
  auto odd = scsi::test_unit_ready();
  odd.cdb_length = 7;
  CHECK(kind(odd) == TransportError::Kind::refused);
  must(device.submit(scsi::test_unit_ready(), 1));
  CHECK(kind(scsi::test_unit_ready(), 1) == TransportError::Kind::refused);
  CHECK(must(device.reap()).tag == 1);
}

TEST_CASE("a program that does not greet is refused with a sentence of its own") {
  const auto refused = [](const std::string& line, ExecLimits limits = {}) {
    try {
      ExecDevice device(line, limits);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::protocol);
      return std::string(error.what());
    }
    FAIL(line << " was accepted");
    return std::string();
  };
  CHECK_THAT(refused(program("hostile.py bad_hello")), Catch::Contains("SCSIDRV2"));
  CHECK_THAT(refused(program("hostile.py version_1")),
             Catch::Contains("version 1") && Catch::Contains("only version 2"));
  CHECK_THAT(refused(program("hostile.py version_3")), Catch::Contains("version 3"));
  CHECK_THAT(refused(program("hostile.py half_hello")), Catch::Contains("before its hello"));
  CHECK_THAT(refused(program("hostile.py early_exit")), Catch::Contains("status 3"));
  CHECK_THAT(refused(program("hostile.py silent"), {.hello = 300ms}),
             Catch::Contains("within 0.3 s"));
}

TEST_CASE("a program that cannot be started says why") {
  try {
    ExecDevice device("/nonexistent/drive --fast");
    FAIL("it started");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::no_device);
    CHECK_THAT(error.what(),
               Catch::Contains("/nonexistent/drive") && Catch::Contains("No such file"));
  }
  CHECK_THROWS_AS(ExecDevice(""), Error);
}

TEST_CASE("every breach of the protocol names the command and the field") {
  const auto [way, field] = GENERATE(table<const char*, const char*>({
      {"time_backwards", "field complete_ns"},
      {"before_issue", "field complete_ns"},
      {"time_beyond", "field complete_ns"},
      {"wrong_tag", "field tag"},
      {"short_length", "field length"},
      {"huge_length", "field length"},
      {"lying_length", "field data_length"},
      {"bad_status", "field status"},
      {"no_status", "field status"},
      {"reserved", "field reserved"},
      {"long_sense", "field sense_length"},
      {"lying_sense", "field data_length"},
      {"lying_data", "field data_length"},
      {"too_much_data", "field data_length"},
      {"missing_data", "field residual"},
      {"wrong_residual", "field residual"},
      {"truncated", "field sense and data"},
      {"exits", "field length"},
  }));
  INFO(way);
  ExecDevice device(program(std::string("hostile.py ") + way));
  REQUIRE(device.execute(scsi::test_unit_ready()));
  const auto result = device.execute(scsi::read_10(0, 1, 512));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == TransportError::Kind::protocol);
  CHECK_THAT(result.error().sentence, Catch::Contains("READ(10)") && Catch::Contains(field));
  CHECK(scsi::as_error(result.error()).status() == ExitStatus::protocol);
  // There is no way on from there, and no wait either.
  CHECK_FALSE(device.execute(scsi::test_unit_ready()));
}

TEST_CASE("a program that hangs is given up, and ended") {
  ExecDevice device(program("hostile.py sleeps"), {.hello = 60s, .reply = 300ms});
  REQUIRE(device.execute(scsi::test_unit_ready()));
  const auto result = device.execute(scsi::read_10(0, 1, 512));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == TransportError::Kind::timeout);
  CHECK_THAT(result.error().sentence, Catch::Contains("READ(10)"));
}

TEST_CASE("writing to a program that went away is an error, not the end of the tool") {
  ExecDevice device(program("hostile.py closes_input"));
  REQUIRE(device.execute(scsi::test_unit_ready()));
  std::vector<std::uint8_t> data(8 << 20);
  const auto result = device.execute(scsi::write_10(0, 16384, data));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == TransportError::Kind::protocol);
  CHECK_FALSE(device.execute(scsi::test_unit_ready()));
}

}  // namespace
}  // namespace platter::transport
