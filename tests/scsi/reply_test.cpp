#include "scsi/reply.h"

#include "catch.h"
#include "scripted_device.h"
#include "scsi/commands.h"

namespace platter::scsi {
namespace {

Completion with_data(std::size_t bytes, std::uint32_t residual) {
  Completion done;
  done.data.resize(bytes, 0xAB);
  done.residual = residual;
  return done;
}

TEST_CASE("a reply is whole where all bytes came that were asked for") {
  const Command read = read_10(7, 2, 512);
  SECTION("all") {
    Completion done = with_data(1024, 0);
    Reply reply(read, done);
    CHECK(reply.is_whole());
    CHECK(reply.whole()->size() == 1024);
    CHECK(reply.take_whole()->size() == 1024);
  }
  SECTION("half, whatever the residual says") {
    Completion done = with_data(512, GENERATE(0U, 512U, 1024U, 9999U));
    Reply reply(read, done);
    CHECK_FALSE(reply.is_whole());
    CHECK(reply.came() == 512);
    CHECK_FALSE(reply.whole());
    CHECK_FALSE(reply.take_whole());
    CHECK(reply.as_far_as_it_came().size() == 512);
  }
  SECTION("nothing") {
    Completion done = with_data(0, 1024);
    CHECK(Reply(read, done).came() == 0);
  }
}

TEST_CASE("of data that are not kept the residual tells, of those that were given, too") {
  Command read = read_10(7, 2, 512);
  read.keep_data = false;
  CHECK(bytes_short(read, with_data(0, 0)) == 0);
  CHECK(bytes_short(read, with_data(0, 512)) == 512);
  CHECK(bytes_short(read, with_data(0, 4096)) == 1024);
  const Command write = write_10(7, 2, std::vector<std::uint8_t>(1024));
  CHECK(bytes_short(write, with_data(0, 0)) == 0);
  CHECK(bytes_short(write, with_data(0, 100)) == 100);
  CHECK(bytes_short(test_unit_ready(), with_data(0, 0)) == 0);
}

TEST_CASE("what a drive recovered, and what it warns of, is not clean") {
  const auto of = [](std::uint8_t key, std::uint8_t asc, std::uint8_t ascq,
                     std::uint8_t code = 0x70) {
    return cleanness_of(decode_sense(testing::fixed_sense(key, asc, ascq, code)));
  };
  CHECK(cleanness_of(std::nullopt) == Cleanness::clean);
  CHECK(of(1, 0x17, 0x01) == Cleanness::recovered);
  CHECK(of(1, 0x18, 0x02) == Cleanness::recovered);
  CHECK(of(1, 0x5D, 0x10) == Cleanness::warned);
  CHECK(of(0, 0x5D, 0x00) == Cleanness::warned);
  CHECK(of(1, 0x0B, 0x01) == Cleanness::warned);
  CHECK(of(6, 0x5D, 0x10) == Cleanness::warned);
  CHECK(of(6, 0x0B, 0x01) == Cleanness::warned);
  CHECK(of(6, 0x29, 0x00) == Cleanness::clean);
  CHECK(of(0, 0x00, 0x00) == Cleanness::clean);
  CHECK(of(1, 0x00, 0x1D) == Cleanness::clean);        // what CK_COND asked for
  CHECK(of(0xB, 0x0B, 0x00) == Cleanness::clean);      // not carried out
  CHECK(of(1, 0x17, 0x01, 0x71) == Cleanness::clean);  // of an earlier command
}

}  // namespace
}  // namespace platter::scsi
