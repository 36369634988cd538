// What strangers' drives and bridges answer: capacities that differ, commands refused in odd words,
// replies that come short.
#include <optional>
#include <string>
#include <utility>

#include "catch.h"
#include "scripted_device.h"
#include "scsi/ata.h"
#include "scsi/bytes.h"
#include "scsi/command_table.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/guard.h"

namespace platter::scsi {
namespace {

using testing::answers;
using testing::fails;
using testing::ScriptedDevice;
using testing::Step;
using Block = std::vector<std::uint8_t>;

Block inquiry_data(std::uint8_t type = 0, std::uint8_t version = 6) {
  Block data(36, ' ');
  data[0] = type;
  data[1] = 0;
  data[2] = version;
  data[4] = 31;
  return data;
}

Block capacity_10(std::uint32_t last, std::uint32_t bytes = 512) {
  Block reply(8);
  put_be(&reply[0], 4, last);
  put_be(&reply[4], 4, bytes);
  return reply;
}

Block capacity_16(std::uint64_t last, std::uint32_t bytes = 512) {
  Block reply(32);
  put_be(&reply[0], 8, last);
  put_be(&reply[8], 4, bytes);
  return reply;
}

void expect_no_more_witnesses(ScriptedDevice& device, bool before_spc3 = false) {
  device.expect({fails({kInquiry, 1, 0x80}, 5, 0x24), fails({kAtaPassThrough16}, 5, 0x20),
                 fails({kAtaPassThrough12}, 5, 0x20)});
  if (!before_spc3) device.expect(fails({kInquiry, 1, 0x89}, 5, 0x24));
}

struct Plain {
  explicit Plain(std::uint32_t last = 9999) : guard(device, {}), drive(guard, "it") {
    device.expect({answers({kInquiry, 0}, inquiry_data(0, 2)), answers({kTestUnitReady}),
                   answers({kReadCapacity10}, capacity_10(last))});
    expect_no_more_witnesses(device, true);
    drive.identify();
  }
  ScriptedDevice device{};
  Guard guard;
  Drive drive;
};

TEST_CASE("of two capacities the larger one counts whose last block can be read") {
  ScriptedDevice device{answers({kInquiry, 0}, inquiry_data()), answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_10(9999)),
                        answers({kServiceActionIn16, 0x10}, capacity_16(0xE4000500000000))};
  Drive drive(device, "it");
  SECTION("the absurd one is not there") {
    device.expect({fails({kRead16}, 5, 0x21), answers({kRead10, 0, 0, 0, 0x27, 0x0F}, Block(512))});
    expect_no_more_witnesses(device);
    CHECK(drive.identify().blocks == 10000);
    REQUIRE(drive.who().doubts.size() == 1);
    CHECK_THAT(drive.who().doubts.front(), Catch::Contains("READ CAPACITY(10) says 10000 blocks"));
  }
  SECTION("neither is") {
    device.expect({fails({kRead16}, 5, 0x21), fails({kRead10}, 3, 0x11)});
    CHECK_THROWS_WITH(drive.identify(), Catch::Contains("does not say one capacity"));
  }
}

TEST_CASE("of two lengths of blocks the one counts that a read of the last block has") {
  const std::uint32_t blocks = GENERATE(as<std::uint32_t>{}, 10'000, 80'000);  // of READ
                                                                               // CAPACITY(10)
  ScriptedDevice device{answers({kInquiry, 0}, inquiry_data()), answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_10(blocks - 1)),
                        answers({kServiceActionIn16, 0x10}, capacity_16(9999, 4096))};
  Drive drive(device, "it");
  SECTION("of 4096 bytes") {
    device.expect(answers({kRead10, 0, 0, 0, 0x27, 0x0F}, Block(4096)));
    expect_no_more_witnesses(device);
    CHECK(drive.identify().block_bytes == 4096);
    CHECK(drive.blocks() == 10'000);
  }
  SECTION("of 512 bytes") {
    device.expect(
        {answers({kRead10, 0, 0, 0, 0x27, 0x0F}, Block(512)), answers({kRead10}, Block(512))});
    expect_no_more_witnesses(device);
    CHECK(drive.identify().block_bytes == 512);
    CHECK(drive.blocks() == blocks);
  }
}

TEST_CASE("blocks of a length that no disk has are refused") {
  const auto bytes = GENERATE(as<std::uint32_t>{}, 0, 1, 64, 511, 65540, 263'000'000);
  ScriptedDevice device{answers({kInquiry, 0}, inquiry_data(0, 2)), answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_10(9999, bytes))};
  Drive drive(device, "it");
  try {
    drive.identify();
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::protocol);
    CHECK_THAT(error.what(), Catch::Contains(std::to_string(bytes) + " bytes"));
  }
}

// A drive of 10,000 blocks that says it has more.
class Boastful final : public Device {
 public:
  // `beyond`: the ASC of what lies behind the end.
  explicit Boastful(std::uint32_t stated, std::uint8_t beyond = 0x21)
      : stated_(stated), beyond_(beyond) {}
  const std::string& name() const override { return name_; }
  Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 1; }
  Expected<void> submit(const Command& command, std::uint32_t tag) override {
    done_.emplace();
    done_->tag = tag;
    const auto at = addressed_blocks(command);
    if (at && at->lbn + at->blocks > there) refuse(beyond_);
    if (at && at->lbn + at->blocks <= there) done_->data.resize(command.transfer_length);
    if (command.opcode() == kReadCapacity10) done_->data = capacity_10(stated_ - 1);
    if (command.opcode() == kInquiry && command.cdb[1] == 0) done_->data = inquiry_data(type, 2);
    if (command.opcode() == kInquiry && command.cdb[1] == 1) refuse(0x24);
    if (command.opcode() == kAtaPassThrough16 || command.opcode() == kAtaPassThrough12)
      refuse(0x20);
    return {};
  }
  Expected<std::optional<Completion>> reap() override { return std::exchange(done_, std::nullopt); }
  Expected<std::optional<Completion>> reap_until(Nanoseconds) override { return reap(); }
  Expected<void> reset() override { return {}; }

  std::uint64_t there = 10'000;  // blocks
  std::uint8_t type = 0;         // of INQUIRY

 private:
  void refuse(std::uint8_t asc) {
    done_->status = Status::check_condition;
    done_->sense = testing::fixed_sense(5, asc);
  }

  std::string name_ = "it";
  testing::ScriptedClock clock_;
  std::uint32_t stated_;
  std::uint8_t beyond_;
  std::optional<Completion> done_;
};

// A bridge that breaks off on one command, as the host tells it.
class Hanging final : public Device {
 public:
  Hanging(std::uint8_t opcode, TransportError::Kind kind) : opcode_(opcode), kind_(kind) {}
  const std::string& name() const override { return behind_.name(); }
  Clock& clock() override { return behind_.clock(); }
  std::uint32_t max_outstanding() const override { return 1; }
  Expected<void> submit(const Command& command, std::uint32_t tag) override {
    if (command.opcode() != opcode_) return behind_.submit(command, tag);
    ++hung;
    if (then_gone) opcode_ = kTestUnitReady;
    return tl::unexpected(TransportError{kind_, "it did not carry it out: DID_ERROR"});
  }
  Expected<std::optional<Completion>> reap() override { return behind_.reap(); }
  Expected<std::optional<Completion>> reap_until(Nanoseconds) override { return reap(); }
  Expected<void> reset() override { return {}; }

  int hung = 0;
  bool then_gone = false;

 private:
  Boastful behind_{10'000};
  std::uint8_t opcode_;
  TransportError::Kind kind_;
};

TEST_CASE("an optional command on which the path breaks off is one that the drive lacks") {
  using Kind = TransportError::Kind;
  const auto kind = GENERATE(Kind::io, Kind::timeout);
  SECTION("ATA PASS-THROUGH") {
    Hanging device(kAtaPassThrough16, kind);
    Drive drive(device, "it");
    CHECK(drive.identify().blocks == 10'000);
    CHECK(device.hung == 4);
    REQUIRE(drive.odd_refusals().size() == 1);
    CHECK_THAT(drive.odd_refusals().begin()->second, Catch::Contains("DID_ERROR"));
  }
  SECTION("SEEK") {
    Hanging device(kSeek10, kind);
    Drive drive(device, "it");
    drive.identify();
    try {
      drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK(error.refused());
    }
  }
  SECTION("but where the drive is gone then, that is told") {
    Hanging device(kAtaPassThrough16, kind);
    device.then_gone = true;
    Drive drive(device, "it");
    CHECK_THROWS_WITH(drive.identify(), Catch::Contains("DID_ERROR"));
    CHECK(device.hung == 2);
  }
  SECTION("READ is not optional") {
    Hanging device(kRead10, kind);
    Drive drive(device, "it");
    drive.identify();
    CHECK_THROWS_WITH(drive.read(7), Catch::Contains("DID_ERROR"));
    CHECK(device.hung == 1);
  }
  SECTION("a flush that is broken off may have failed") {
    Hanging device(kSynchronizeCache10, kind);
    Drive drive(device, "it");
    drive.identify();
    CHECK_THROWS_WITH(drive.synchronize_cache(), Catch::Contains("DID_ERROR"));
    CHECK(device.hung == 1);
  }
}

TEST_CASE("a disk of host-managed zones is identified, and refused by those who write anywhere") {
  Boastful device(10'000);
  device.type = 0x14;
  Drive drive(device, "it");
  CHECK(drive.identify().blocks == 10'000);
  CHECK(drive.is_host_managed());
  try {
    drive.refuse_host_managed();
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
    CHECK_THAT(error.what(), Catch::Contains("host-managed zones"));
  }
}

TEST_CASE("a capacity that names blocks behind the end is cut to what can be addressed") {
  const auto beyond = GENERATE(as<std::uint32_t>{}, 0, 1, 2, 8, 13, 4096, 10'000'000);
  Boastful device(10'000 + beyond, GENERATE(as<std::uint8_t>{}, 0x21, 0x24));
  Drive drive(device, "it");
  drive.identify();
  drive.confirm_capacity();
  CHECK(drive.blocks() == 10'000);
  CHECK(drive.identify().stated_blocks.value_or(10'000) == 10'000 + beyond);
  CHECK(drive.who().doubts.size() == (beyond > 0 ? 1 : 0));
  Drive skips(device, "it");
  skips.identify();
  skips.confirm_capacity({{9000, 10'000 + beyond}});
  CHECK(skips.blocks() == 10'000 + beyond);  // nothing was asked
}

TEST_CASE("a drive that reads no block at all is not cut to none") {
  Boastful device(10'000, 0x24);
  device.there = 0;
  Drive drive(device, "it");
  drive.identify();
  drive.confirm_capacity();
  CHECK(drive.blocks() == 10'000);
}

TEST_CASE("an optional command that a drive refuses in any words is one that it lacks") {
  Plain t;
  const auto expect = [&](int times, const Step& step) {
    for (int i = 0; i < times; ++i) t.device.expect(step);
  };
  SECTION("ABORTED COMMAND, four times") {
    expect(4, fails({kModeSense6}, 0xB, 0x00));
    expect(4, fails({kModeSense10}, 0xB, 0x00));
    CHECK_FALSE(t.drive.settings().mode_page(0x03, PageControl::current));
    CHECK(t.drive.odd_refusals().size() == 2);
  }
  SECTION("HARDWARE ERROR, NOT READY, DATA PROTECT") {
    const auto key = GENERATE(as<std::uint8_t>{}, 0x2, 0x4, 0x7);
    expect(1, fails({kModeSense6}, key, 0x44));
    expect(1, fails({kModeSense10}, key, 0x44));
    CHECK_FALSE(t.drive.settings().mode_page(0x03, PageControl::current));
  }
  SECTION("CHECK CONDITION without sense data") {
    expect(1, Step{{kSeek10}, Status::check_condition, {}, {}, {}});
    expect(1, answers({kRequestSense}));
    try {
      t.drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK(error.refused());
      CHECK(error.status() == ExitStatus::unsupported);
    }
  }
  SECTION("a page that is not whole") {
    expect(1, answers({kModeSense6}, {23, 0, 0, 0, 0x03, 0x16, 0, 0}));
    expect(1, fails({kModeSense10}, 5, 0x20));
    CHECK_FALSE(t.drive.settings().mode_page(0x03, PageControl::current));
  }
  SECTION("UNIT ATTENTION, again and again: a bridge that begins anew") {
    expect(16, fails({kSeek10}, 6, 0x29));
    try {
      t.drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK(error.refused());
    }
  }
  SECTION("UNIT ATTENTION of one that was answered before is what it says") {
    expect(1, answers({kSeek10}));
    t.drive.seek(7);
    expect(16, fails({kSeek10}, 6, 0x29));
    try {
      t.drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK_FALSE(error.refused());
    }
  }
  SECTION("a status that is none") {
    expect(1, Step{{kSeek10}, static_cast<Status>(0x30), {}, {}, {}});
    try {
      t.drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK(error.refused());
    }
  }
  SECTION("but not where another host has reserved it") {
    expect(3, Step{{kSeek10}, Status::reservation_conflict, {}, {}, {}});
    try {
      t.drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK_FALSE(error.refused());
      CHECK(error.status() == ExitStatus::refused);
    }
  }
  SECTION("but not once it has worked") {
    expect(1, answers({kSeek10}));
    t.drive.seek(7);
    expect(1, fails({kSeek10}, 4, 0x44));
    try {
      t.drive.seek(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK_FALSE(error.refused());
      CHECK(error.status() == ExitStatus::drive_error);
    }
  }
  SECTION("READ is not optional") {
    expect(4, fails({kRead10}, 0xB, 0x00));
    try {
      t.drive.read(7);
      FAIL("it was taken");
    } catch (const DriveError& error) {
      CHECK_FALSE(error.refused());
    }
  }
}

TEST_CASE("a read that comes short is asked for again, and then is an error of its own kind") {
  Plain t;
  t.device.expect({answers({kRead10}, Block(512)), answers({kRead10}, Block(1024))});
  CHECK(t.drive.contents(7, 2).size() == 1024);
  CHECK(t.drive.busy_replies() == 1);
  for (int i = 0; i < 3; ++i) t.device.expect(answers({kRead10}, Block(512)));
  try {
    t.drive.contents(7, 2);
    FAIL("it was taken");
  } catch (const DriveError& error) {
    CHECK(error.came_short());
    CHECK_FALSE(error.may_do_elsewhere());
    CHECK(error.blocks == 2);
  }
}

TEST_CASE("recovered replies and warnings are counted by their words") {
  Plain t;
  auto recovered = fails({kRead10}, 1, 0x17, 0x01);
  recovered.reply = Block(512);
  t.device.expect({recovered, recovered, fails({kTestUnitReady}, 1, 0x5D, 0x10)});
  t.drive.contents(7, 1);
  t.drive.contents(8, 1);
  t.drive.test_unit_ready();
  REQUIRE(t.drive.said().recovered.size() == 1);
  CHECK(t.drive.said().recovered.begin()->second == 2);
  REQUIRE(t.drive.said().warnings.size() == 1);
  CHECK_THAT(t.drive.said().warnings.begin()->first, Catch::Contains("1/5D/10"));
}

TEST_CASE("a drive that ignores EVPD has no VPD page, whatever its second byte says") {
  Block standard = inquiry_data(0, 0);
  standard[1] = 0x80;  // removable: as page 80h begins
  ScriptedDevice device{answers({kInquiry, 0}, standard),
                        answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_10(9999)),
                        answers({kInquiry, 1, 0x80}, standard),
                        fails({kAtaPassThrough16}, 5, 0x20),
                        fails({kAtaPassThrough12}, 5, 0x20)};
  Drive drive(device, "it");
  CHECK(drive.identify().serial.empty());
}

TEST_CASE("where nothing gets through to the disk, the translation's page tells of it") {
  Block page(572);
  page[1] = 0x89;
  put_be(&page[2], 2, 568);
  page[56] = kIdentifyDevice;
  const auto word = [&](std::size_t number, unsigned value) {
    page[60 + 2 * number] = static_cast<std::uint8_t>(value & 0xFF);
    page[61 + 2 * number] = static_cast<std::uint8_t>(value >> 8);
  };
  const auto text = [&](std::size_t first, std::string letters, std::size_t words) {
    letters.resize(2 * words, ' ');
    for (std::size_t i = 0; i < words; ++i)
      word(first + i, static_cast<unsigned>(letters[2 * i] << 8 | letters[2 * i + 1]));
  };
  text(10, "WD-WX11A9305817", 10);
  text(27, "WDC WD20EZRX-00D8PB0", 20);
  word(106, 0x6003);
  word(217, 5400);
  const unsigned sectors = GENERATE(10'000u, 20'000'000u);
  word(60, sectors & 0xFFFF);
  word(61, sectors >> 16);
  ScriptedDevice device{answers({kInquiry, 0}, inquiry_data()),
                        answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_10(9999)),
                        fails({kServiceActionIn16, 0x10}, 5, 0x20),
                        fails({kInquiry, 1, 0x80}, 5, 0x24),
                        fails({kAtaPassThrough16}, 5, 0x20),
                        fails({kAtaPassThrough12}, 5, 0x20),
                        answers({kInquiry, 1, 0x89}, page),
                        answers({kInquiry, 1, 0x89}, page),
                        fails({kInquiry, 1, 0x83}, 5, 0x24)};
  Drive drive(device, "it");
  const bool is_this_disk = sectors == 10'000;  // else a dock's page speaks of its other one
  CHECK((drive.identify().serial == "WD-WX11A9305817") == is_this_disk);
  CHECK((drive.identify().product == "WDC WD20EZRX-00D8PB0") == is_this_disk);
  CHECK(drive.identify().physical_block_bytes == (is_this_disk ? 4096 : 512));
  CHECK(drive.physical_blocks().logical_blocks() == (is_this_disk ? 8 : 1));
  device.expect(fails({kInquiry, 1, 0xB1}, 5, 0x24));
  const auto rotation = drive.stated_rotation();
  REQUIRE(rotation.has_value() == is_this_disk);
  if (rotation) CHECK((rotation->rpm == 5400 && rotation->by == "VPD page 89h"));
  CHECK_FALSE(drive.settings().ata());  // nothing can be set by it
}

TEST_CASE("a VPD page that is longer than the room for it is asked for again") {
  Plain t;
  Block page(300);
  page[1] = 0xB9;
  put_be(&page[2], 2, 296);
  t.device.expect(
      {answers({kInquiry, 1, 0xB9, 0, 252}, page), answers({kInquiry, 1, 0xB9, 1, 44}, page)});
  CHECK(t.drive.vpd_page(0xB9) == page);
  page.resize(200);  // a part of it is none
  t.device.expect(answers({kInquiry, 1, 0xB9, 0, 252}, page));
  CHECK_FALSE(t.drive.vpd_page(0xB9));
}

}  // namespace
}  // namespace platter::scsi
