#include "scsi/drive.h"

#include <functional>
#include <numeric>

#include "scripted_device.h"
#include "scsi/bytes.h"
#include "scsi/commands.h"

namespace platter::scsi {
namespace {

using testing::answers;
using testing::fails;
using testing::fixed_sense;
using testing::joined;
using testing::ScriptedDevice;
using testing::Step;
using testing::takes;
using Bytes8 = std::vector<std::uint8_t>;

Bytes8 inquiry_reply(std::uint8_t type = 0, std::uint8_t version = 2) {
  Bytes8 reply(36, ' ');
  reply[0] = type;
  reply[1] = 0;
  reply[2] = version;
  reply[4] = 31;
  const std::string text = "QUANTUM ATLAS IV 9 WLS  0B0B";
  std::copy(text.begin(), text.end(), reply.begin() + 8);
  return reply;
}

Bytes8 capacity_reply(std::uint32_t last, std::uint32_t bytes = 512) {
  Bytes8 reply(8);
  put_be(&reply[0], 4, last);
  put_be(&reply[4], 4, bytes);
  return reply;
}

void expect_identify(ScriptedDevice& device) {
  device.expect({answers({kInquiry, 0}, inquiry_reply()), answers({kTestUnitReady}),
                 answers({kReadCapacity10}, capacity_reply(9999)),
                 fails({kInquiry, 1, 0x80}, 5, 0x24), fails({kAtaPassThrough16}, 5, 0x20),
                 fails({kAtaPassThrough12}, 5, 0x20)});
}

struct Identified {
  explicit Identified(Permission permission = {})
      : guard(device, std::move(permission)), drive(guard, "the drive") {
    expect_identify(device);
    drive.identify();
  }
  ScriptedDevice device;
  Guard guard;
  Drive drive;
};

Bytes8 cache_page(std::uint8_t byte2, std::uint8_t byte12 = 0) {
  Bytes8 page(20);
  page[0] = 0x88;  // PS set: it can be saved
  page[1] = 18;
  page[2] = byte2;
  page[12] = byte12;
  page[13] = 10;
  return page;
}

// MODE SENSE(6) data with one block descriptor, as disks send it.
Bytes8 mode_reply_6(const Bytes8& page) {
  const auto length = static_cast<std::uint8_t>(3 + 8 + page.size());
  return joined({length, 0, 0x10, 8, 0, 0, 0x27, 0x10, 0, 0, 2, 0}, page);
}

Bytes8 mode_list_6(Bytes8 page) {
  page[0] &= 0x7F;
  return joined(Bytes8(4), page);
}

Bytes8 translation_reply(std::uint8_t flags, std::initializer_list<PhysicalAddress> places,
                         std::uint8_t from = 0, std::uint8_t to = 5) {
  Bytes8 reply{0x40, 0,
               0,    static_cast<std::uint8_t>(2 + 8 * places.size()),
               from, static_cast<std::uint8_t>(flags | to)};
  for (const auto& place : places) {
    Bytes8 bytes(8);
    put_be(&bytes[0], 3, place.cylinder);
    bytes[3] = static_cast<std::uint8_t>(place.head);
    put_be(&bytes[4], 4, place.sector);
    reply.insert(reply.end(), bytes.begin(), bytes.end());
  }
  return reply;
}

TEST_CASE("identify reads name, capacity and serial number, and swallows a power-on attention") {
  Bytes8 serial{0, 0x80, 0, 8, 'A', 'B', 'C', '1', '2', '3', ' ', ' '};
  ScriptedDevice device{fails({kInquiry, 0}, 6, 0x29),
                        answers({kInquiry, 0}, inquiry_reply()),
                        fails({kTestUnitReady}, 6, 0x3F),
                        answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_reply(17938985)),
                        answers({kInquiry, 1, 0x80}, serial),
                        fails({kAtaPassThrough16}, 5, 0x20),
                        fails({kAtaPassThrough12}, 5, 0x20)};
  Drive drive(device, "x");
  const auto& identity = drive.identify();
  CHECK(identity.vendor == "QUANTUM");
  CHECK(identity.product == "ATLAS IV 9 WLS");
  CHECK(identity.revision == "0B0B");
  CHECK(identity.serial == "ABC123");
  CHECK(identity.blocks == 17938986);
  CHECK(identity.block_bytes == 512);
  CHECK(drive.unit_attentions() == 2);
  CHECK(drive.resets() == 1);
  CHECK_FALSE(drive.settings().may_be_lost());
  CHECK(drive.commands() == 8);
}

TEST_CASE("a large drive is asked for its capacity by READ CAPACITY(16)") {
  Bytes8 long_reply(32);
  put_be(&long_reply[0], 8, 7814037167);
  put_be(&long_reply[8], 4, 512);
  long_reply[13] = 3;
  ScriptedDevice device{answers({kInquiry, 0}, inquiry_reply(0, 6)),
                        answers({kTestUnitReady}),
                        answers({kReadCapacity10}, capacity_reply(0xFFFFFFFF)),
                        answers({kServiceActionIn16, 0x10}, long_reply),
                        fails({kInquiry, 1, 0x80}, 5, 0x24),
                        fails({kAtaPassThrough16}, 5, 0x20),
                        fails({kAtaPassThrough12}, 5, 0x20),
                        fails({kInquiry, 1, 0x89}, 5, 0x24)};
  Drive drive(device, "x");
  CHECK(drive.identify().blocks == 7814037168);
  CHECK(drive.identify().physical_block_bytes == 4096);
  device.expect({Step{{kRead10, 0, 0xFF, 0xFF, 0xFF, 0xFF}, Status::good, {}, {}, {}},
                 Step{{kRead16, 0x08, 0, 0, 0, 1}, Status::good, {}, {}, {}}});
  drive.read(0xFFFFFFFF);
  drive.read(0x100000000, 1, true);
}

TEST_CASE("what is no disk is refused with a sentence of its own") {
  ScriptedDevice device{answers({kInquiry, 0}, inquiry_reply(1))};
  Drive drive(device, "tape");
  try {
    drive.identify();
    FAIL("a tape was taken for a disk");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::no_device);
    CHECK(std::string(error.what()).find("01h") != std::string::npos);
  }
}

TEST_CASE("BUSY, becoming ready and aborted commands are tried again, and time passes meanwhile") {
  Identified t;
  t.device.expect({Step{{kRead10}, Status::busy, {}, {}, {}},
                   Step{{kRead10}, Status::task_set_full, {}, {}, {}},
                   fails({kRead10}, 2, 0x04, 0x01), fails({kRead10}, 0xB, 0x47),
                   answers({kRead10}, Bytes8(512))});
  const auto start = t.drive.now_ns();
  CHECK(t.drive.read(5).status == Status::good);
  CHECK(t.drive.busy_replies() == 4);
  CHECK(t.drive.now_ns() - start > 60 * kMillisecond);
}

TEST_CASE(
    "a reservation that another host holds for a moment is waited for, one that it keeps is told") {
  Identified t;
  const Step conflict{{kTestUnitReady}, Status::reservation_conflict, {}, {}, {}};
  t.device.expect({conflict, conflict, answers({kTestUnitReady})});
  CHECK(t.drive.test_unit_ready().status == Status::good);
  CHECK(t.drive.busy_replies() == 2);
  t.device.expect({conflict, conflict, conflict});
  CHECK_THROWS_WITH(t.drive.test_unit_ready(), Catch::Contains("another host holds a reservation"));
}

TEST_CASE("a drive that stays busy ends the experiment within bounds") {
  Identified t;
  t.device.then_always(Step{{kTestUnitReady}, Status::busy, {}, {}, {}});
  CHECK_THROWS_AS(t.drive.test_unit_ready(), Error);
  CHECK(t.drive.now_ns() > 50 * kSecond);
  CHECK(t.drive.now_ns() < 70 * kSecond);
  CHECK(t.drive.busy_replies() < 100);
}

TEST_CASE(
    "a command that a drive may lack is given up soon where it is BUSY, not while it spins up") {
  Identified t;
  const auto began = t.drive.now_ns();
  SECTION("BUSY") {
    t.device.then_always(Step{{kSeek10}, Status::busy, {}, {}, {}});
    CHECK_THROWS_AS(t.drive.seek(5), DriveError);
    CHECK(t.drive.now_ns() - began < 10 * kSecond);
    CHECK(t.drive.odd_refusals().count("SEEK(10)") == 1);
  }
  SECTION("becoming ready") {
    t.device.then_always(fails({kSeek10}, 2, 0x04, 0x01));
    CHECK_THROWS_AS(t.drive.seek(5), DriveError);
    CHECK(t.drive.now_ns() - began > 50 * kSecond);
  }
}

TEST_CASE("endless unit attentions end the experiment") {
  Identified t;
  for (int i = 0; i < 16; ++i) t.device.expect(fails({kTestUnitReady}, 6, 0x29));
  CHECK_THROWS_WITH(t.drive.test_unit_ready(), Catch::Contains("resetting"));
  CHECK(t.drive.resets() == 16);
}

TEST_CASE("a medium error says where, and can be told from others") {
  Identified t;
  t.device.expect(fails({kRead10}, 3, 0x11));
  try {
    t.drive.read(77, 4);
    FAIL("the error was lost");
  } catch (const DriveError& error) {
    CHECK(error.may_do_elsewhere());
    CHECK(error.lbn == 77);
    CHECK(error.blocks == 4);
    CHECK(error.status() == ExitStatus::drive_error);
    CHECK_THAT(error.what(), Catch::Contains("READ(10) of LBN 77 to 80"));
  }
}

TEST_CASE("recovered errors are successes") {
  Identified t;
  t.device.expect(fails({kRead10}, 1, 0x17));
  CHECK_NOTHROW(t.drive.read(1));
}

TEST_CASE("missing autosense is fetched by REQUEST SENSE") {
  Identified t;
  t.device.expect({Step{{kSeek10}, Status::check_condition, {}, {}, {}},
                   answers({kRequestSense}, fixed_sense(5, 0x20))});
  try {
    t.drive.seek(1);
    FAIL("the rejection was lost");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
  }
}

TEST_CASE("translate sends page 40h and reads physical sectors") {
  Identified t;
  const Bytes8 question{0x40, 0, 0, 10, 0, 5, 0, 1, 0x51, 0x80, 0, 0, 0, 0};
  t.device.expect({takes({kSendDiagnostic, 0x10, 0, 0, 14}, question),
                   answers({kReceiveDiagnostic, 0}, translation_reply(0x40, {{0x010203, 7, 99}}))});
  const auto translation = t.drive.addresses().translate(0x15180);
  REQUIRE(translation);
  CHECK(translation->places == std::vector<PhysicalAddress>{{0x010203, 7, 99}});
  CHECK(translation->remapped);
  CHECK_FALSE(translation->alternate_track);
  CHECK(t.drive.translations() == 1);
}

TEST_CASE("translate: a drive that does not answer is no error, and is not asked again") {
  Identified t;
  SECTION("no SEND DIAGNOSTIC") { t.device.expect(fails({kSendDiagnostic}, 5, 0x20)); }
  SECTION("page 40h rejected in all formats") {
    for (int i = 0; i < 4; ++i) t.device.expect(fails({kSendDiagnostic}, 5, 0x26));
  }
  SECTION("accepted, but nothing to receive") {
    t.device.expect({answers({kSendDiagnostic}), fails({kReceiveDiagnostic}, 5, 0x20)});
  }
  SECTION("another page comes back, whatever is asked") {
    for (int i = 0; i < 16; ++i)
      t.device.expect(
          {answers({kSendDiagnostic}), answers({kReceiveDiagnostic}, {0x00, 0, 0, 2, 0x00, 0x40})});
  }
  SECTION("empty replies") {
    for (int i = 0; i < 16; ++i)
      t.device.expect({answers({kSendDiagnostic}), answers({kReceiveDiagnostic})});
  }
  CHECK_FALSE(t.drive.addresses().translate(1));
  CHECK_FALSE(t.drive.addresses().translate(2));
}

TEST_CASE("translate: a block that the drive has not says nothing about its formats") {
  Identified t;
  t.device.expect({fails({kSendDiagnostic}, 5, 0x21), answers({kSendDiagnostic}),
                   answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 3}}))});
  CHECK_FALSE(t.drive.addresses().translate(1'000'000));
  CHECK(t.drive.addresses().translate(1));
}

TEST_CASE("translate finds out which formats the drive takes, and keeps to them") {
  Identified t;
  const auto question = [](std::uint8_t from, std::uint8_t to, Bytes8 address) {
    return takes({kSendDiagnostic}, joined({0x40, 0, 0, 10, from, to}, address));
  };
  const auto refused = [&](std::uint8_t from, std::uint8_t to, Bytes8 address) {
    Step step = question(from, to, address);
    step.status = Status::check_condition;
    step.sense = fixed_sense(5, 0x26);
    return step;
  };
  const Bytes8 in_short{0, 0, 0, 7, 0, 0, 0, 0}, in_long{0, 0, 0, 0, 0, 0, 0, 7};
  SECTION("long blocks") {
    t.device.expect({refused(0, 5, in_short), question(3, 5, in_long),
                     answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 3}}, 3))});
    CHECK(t.drive.addresses().translate(7)->format == AddressFormat::physical_sector);
    t.device.expect({question(3, 5, in_long),
                     answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 3}}, 3))});
    CHECK(t.drive.addresses().translate(7));
    t.device.expect({question(5, 3, {0, 0, 1, 2, 0, 0, 0, 3}),
                     answers({kReceiveDiagnostic}, joined({0x40, 0, 0, 10, 5, 3}, in_long))});
    CHECK(t.drive.addresses().translate_back({1, 2, 3}) == PlaceContent{7});
  }
  SECTION("bytes from the index") {
    t.device.expect({refused(0, 5, in_short), refused(3, 5, in_long), question(0, 4, in_short),
                     answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 588}}, 0, 4))});
    const auto found = t.drive.addresses().translate(7);
    REQUIRE(found);
    CHECK(found->format == AddressFormat::bytes_from_index);
    CHECK(found->places.front() == PhysicalAddress{1, 2, 588});
    t.device.expect({question(4, 0, {0, 0, 1, 2, 0, 0, 2, 0x4C}),
                     answers({kReceiveDiagnostic}, joined({0x40, 0, 0, 10, 4, 0}, in_short))});
    CHECK(t.drive.addresses().translate_back({1, 2, 588}) == PlaceContent{7});
    // The list is asked for in the same format first.
    t.device.expect(
        {answers({kReadDefectData10, 0, 0x14}, {0, 0x14, 0, 8}),
         answers({kReadDefectData10, 0, 0x14}, {0, 0x14, 0, 8, 0, 0, 1, 2, 0, 0, 2, 0x4C})});
    const auto list = t.drive.addresses().defects(true, false);
    REQUIRE(list);
    CHECK(list->format == AddressFormat::bytes_from_index);
    CHECK(list->places == std::vector<PhysicalAddress>{{1, 2, 588}});
  }
}

TEST_CASE("bytes from the index are turned into sectors where the drive can do that") {
  Identified t;
  t.device.expect({takes({kSendDiagnostic}, {0x40, 0, 0, 10, 4, 5, 0, 0, 1, 2, 0, 0, 2, 0x4C}),
                   answers({kReceiveDiagnostic}, translation_reply(0x80, {{1, 2, 9}}, 4)),
                   fails({kSendDiagnostic}, 5, 0x26)});
  CHECK(t.drive.addresses().sector_at({1, 2, 588}) == PhysicalAddress{1, 2, 9});
  CHECK_FALSE(t.drive.addresses().sector_at({1, 2, 588}));
}

TEST_CASE("translate asks again when a reset comes between question and answer") {
  Identified t;
  t.device.expect({answers({kSendDiagnostic}), fails({kReceiveDiagnostic}, 6, 0x29),
                   answers({kReceiveDiagnostic}, translation_reply(0, {{9, 9, 9}})),
                   answers({kSendDiagnostic}),
                   answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 3}}))});
  CHECK(t.drive.addresses().translate(1)->places.front() == PhysicalAddress{1, 2, 3});
}

TEST_CASE("an answer to another question is none: the question is asked again") {
  Identified t;
  const auto back = Bytes8{0x40, 0, 0, 10, 5, 0, 0, 0, 0, 99, 0, 0, 0, 0};
  SECTION("the answer of an earlier question") {
    t.device.expect({answers({kSendDiagnostic}), answers({kReceiveDiagnostic}, back)});
  }
  SECTION("the question forgotten without a word") {
    t.device.expect({answers({kSendDiagnostic}), fails({kReceiveDiagnostic}, 5, 0x2C)});
  }
  SECTION("the drive was busy, then reset") {
    Step busy = answers({kReceiveDiagnostic});
    busy.status = Status::busy;
    t.device.expect({answers({kSendDiagnostic}), busy, fails({kReceiveDiagnostic}, 6, 0x29),
                     fails({kReceiveDiagnostic}, 5, 0x2C)});
  }
  t.device.expect({answers({kSendDiagnostic}),
                   answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 3}}))});
  CHECK(t.drive.addresses().translate(1)->places.front() == PhysicalAddress{1, 2, 3});
}

TEST_CASE("BUSY between question and answer is waited for") {
  Identified t;
  Step busy_send = answers({kSendDiagnostic}), busy_receive = answers({kReceiveDiagnostic});
  busy_send.status = busy_receive.status = Status::busy;
  t.device.expect({busy_send, answers({kSendDiagnostic}), busy_receive,
                   answers({kReceiveDiagnostic}, translation_reply(0, {{1, 2, 3}}))});
  CHECK(t.drive.addresses().translate(1)->places.front() == PhysicalAddress{1, 2, 3});
  CHECK(t.drive.busy_replies() == 2);
}

TEST_CASE("translate_back gives the block, or nothing for a place without one") {
  Identified t;
  const Bytes8 question{0x40, 0, 0, 10, 5, 0, 0, 0, 4, 2, 0, 0, 0, 33};
  const auto reply = [](std::uint32_t lbn) {
    Bytes8 bytes{0x40, 0, 0, 10, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    put_be(&bytes[6], 4, lbn);
    return bytes;
  };
  t.device.expect({takes({kSendDiagnostic}, question), answers({kReceiveDiagnostic}, reply(1234))});
  CHECK(t.drive.addresses().translate_back({4, 2, 33}) == PlaceContent{1234});
  for (const std::uint32_t none : {0xFFFFFFFFU, 10000U}) {
    t.device.expect({answers({kSendDiagnostic}), answers({kReceiveDiagnostic}, reply(none))});
    CHECK(t.drive.addresses().translate_back({4, 2, 33}) == PlaceContent{});
  }
  t.device.expect(
      {answers({kSendDiagnostic}), answers({kReceiveDiagnostic}, {0x40, 0, 0, 2, 5, 0x80})});
  CHECK(t.drive.addresses().translate_back({4, 2, 33}) == PlaceContent{});
  CHECK_FALSE(t.drive.addresses().translate_back({1U << 24, 0, 0}));
}

TEST_CASE("defect lists are asked for their length first") {
  Identified t;
  Bytes8 list{0, 0x1D, 0, 16, 0, 0, 1, 2, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 9};
  t.device.expect({answers({kReadDefectData10, 0, 0x1D, 0, 0, 0, 0, 0, 4}, {0, 0x1D, 0, 16}),
                   answers({kReadDefectData10, 0, 0x1D, 0, 0, 0, 0, 0, 20}, list)});
  const auto defects = t.drive.addresses().defects(true, true);
  REQUIRE(defects);
  CHECK(defects->places == std::vector<PhysicalAddress>{{1, 2, 3}, {0x100, 0, 9}});
  CHECK(defects->primary);
  CHECK(defects->grown);

  SECTION("a list in the other format is better than none") {
    const Step header = answers({kReadDefectData10}, {0, 0x14, 0, 8});
    const Step whole = answers({kReadDefectData10}, {0, 0x14, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8});
    t.device.expect({header, whole, header, whole});
    CHECK(t.drive.addresses().defects(true, false)->format == AddressFormat::bytes_from_index);
  }
  SECTION("a list of blocks is none") {
    const Step header = answers({kReadDefectData10}, {0, 0x10, 0, 4});
    const Step whole = answers({kReadDefectData10}, {0, 0x10, 0, 4, 0, 0, 0, 1});
    t.device.expect({header, whole, header, whole});
    CHECK_FALSE(t.drive.addresses().defects(true, false));
  }
  SECTION("a drive without one") {
    for (int i = 0; i < 2; ++i)
      t.device.expect({fails({kReadDefectData10}, 5, 0x20), fails({kReadDefectData12}, 5, 0x20)});
    CHECK_FALSE(t.drive.addresses().defects(true, false));
  }
  SECTION("a drive with the long command only") {
    Bytes8 whole{0, 0x15, 0, 0, 0, 0, 0, 8, 0, 0, 1, 2, 0, 0, 0, 3};
    const Bytes8 header(whole.begin(), whole.begin() + 8);
    t.device.expect({fails({kReadDefectData10}, 5, 0x20), answers({kReadDefectData12}, header),
                     answers({kReadDefectData12}, whole)});
    CHECK(t.drive.addresses().defects(true, false)->places.size() == 1);
  }
  SECTION("a long list comes by the long command") {
    Bytes8 header{0, 0x15, 0, 0, 0, 1, 0, 0};
    Bytes8 whole = header;
    whole.resize(8 + 0x10000);
    t.device.expect({answers({kReadDefectData10}, {0, 0x15, 0xFF, 0xFF}),
                     answers({kReadDefectData12, 0x15}, header),
                     answers({kReadDefectData12, 0x15}, whole)});
    CHECK(t.drive.addresses().defects(true, false)->places.size() == 8192);
  }
}

TEST_CASE("mode pages: the form that works is remembered") {
  Identified t;
  SECTION("six") {
    t.device.expect({answers({kModeSense6, 0, 0x08}, mode_reply_6(cache_page(0x04))),
                     answers({kModeSense6, 0, 0x48}, mode_reply_6(cache_page(0x05)))});
  }
  SECTION("ten only") {
    const auto ten = [](Bytes8 page) {
      auto reply = joined({0, static_cast<std::uint8_t>(6 + page.size()), 0, 0, 0, 0, 0, 0}, page);
      reply.resize(512);  // padded
      return reply;
    };
    t.device.expect({fails({kModeSense6}, 5, 0x20),
                     answers({kModeSense10, 0, 0x08}, ten(cache_page(0x04))),
                     answers({kModeSense10, 0, 0x48}, ten(cache_page(0x05)))});
  }
  CHECK(t.drive.settings().cache_page()->write_cache_enabled);
  CHECK(t.drive.settings().cache_page(PageControl::changeable)->read_cache_disabled);
}

TEST_CASE("set_cache records the page, changes three bits, checks, and restores exactly") {
  Identified t;
  const auto before = cache_page(0x94);
  const auto after = cache_page(0x91, 0x20);
  t.device.expect({answers({kModeSense6, 0, 0x08}, mode_reply_6(before)),
                   takes({kModeSelect6, 0x10, 0, 0, 24}, mode_list_6(after)),
                   answers({kModeSense6, 0, 0x08}, mode_reply_6(after))});
  REQUIRE(t.drive.settings().set_cache(false, true, true));
  CHECK(t.drive.settings().recorded() == before);

  SECTION("restored by hand") {
    t.device.expect({takes({kModeSelect6, 0x10}, mode_list_6(before)),
                     answers({kModeSense6}, mode_reply_6(before))});
    t.drive.settings().restore();
    CHECK_FALSE(t.drive.settings().recorded());
  }
  SECTION("restored by the destructor") {
    t.device.expect({takes({kModeSelect6, 0x10}, mode_list_6(before)),
                     answers({kModeSense6}, mode_reply_6(before))});
  }
  SECTION("a second change keeps the first record") {
    const auto third = cache_page(0x90, 0x20);
    t.device.expect({answers({kModeSense6}, mode_reply_6(after)),
                     takes({kModeSelect6, 0x10}, mode_list_6(third)),
                     answers({kModeSense6}, mode_reply_6(third)),
                     takes({kModeSelect6, 0x10}, mode_list_6(before)),
                     answers({kModeSense6}, mode_reply_6(before))});
    REQUIRE(t.drive.settings().set_cache(false, false, true));
  }
  SECTION("a reset is noticed until the settings are made anew") {
    t.device.expect({fails({kRead10}, 6, 0x29), answers({kRead10})});
    t.drive.read(1);
    CHECK(t.drive.settings().may_be_lost());
    t.device.expect(
        {answers({kModeSense6}, mode_reply_6(before)),
         // Whoever was reset may be another drive by now.
         answers({kInquiry, 0}, inquiry_reply()), answers({kReadCapacity10}, capacity_reply(9999)),
         fails({kInquiry, 1, 0x80}, 5, 0x24), takes({kModeSelect6, 0x10}, mode_list_6(after)),
         answers({kModeSense6}, mode_reply_6(after))});
    REQUIRE(t.drive.settings().set_cache(false, true, true));
    CHECK_FALSE(t.drive.settings().may_be_lost());
    t.device.expect({takes({kModeSelect6, 0x10}, mode_list_6(before)),
                     answers({kModeSense6}, mode_reply_6(before))});
  }
  SECTION("a restoration that fails says so") {
    const auto refuse = [&] {
      t.device.expect(
          {fails({kModeSelect6, 0x10}, 5, 0x26), answers({kModeSense6}, mode_reply_6(after))});
    };
    refuse();
    CHECK_THROWS_WITH(t.drive.settings().restore(), Catch::Contains("platter restore"));
    refuse();  // the destructor tries once more
  }
  SECTION("one that is refused of a page that is as it was is none") {
    t.device.expect(
        {fails({kModeSelect6, 0x10}, 5, 0x26), answers({kModeSense6}, mode_reply_6(before))});
    t.drive.settings().restore();
  }
}

TEST_CASE("a drive's report of our own change is no loss, one from outside is") {
  Identified t;
  const auto before = cache_page(0x04), after = cache_page(0x01);
  t.device.expect({answers({kModeSense6}, mode_reply_6(before)),
                   takes({kModeSelect6, 0x10}, mode_list_6(after)),
                   fails({kModeSense6}, 6, 0x2A, 0x01),
                   answers({kModeSense6}, mode_reply_6(after))});
  REQUIRE(t.drive.settings().set_cache(false, true, false));
  CHECK_FALSE(t.drive.settings().may_be_lost());
  CHECK(t.drive.resets() == 0);
  t.device.expect({fails({kTestUnitReady}, 6, 0x2A, 0x01), answers({kTestUnitReady})});
  t.drive.test_unit_ready();
  CHECK(t.drive.settings().may_be_lost());
  t.device.expect({answers({kModeSelect6}), answers({kModeSense6}, mode_reply_6(before))});
}

TEST_CASE("set_cache is false where the drive refuses or ignores it, and nothing stays changed") {
  Identified t;
  const auto before = cache_page(0x04);
  t.device.expect(answers({kModeSense6}, mode_reply_6(before)));
  SECTION("refused, in whatever words") {
    const auto key = GENERATE(as<std::uint8_t>{}, 0x4, 0x5, 0x7);
    t.device.expect(
        {fails({kModeSelect6}, key, 0x27), answers({kModeSense6}, mode_reply_6(before))});
  }
  SECTION("refused, and done all the same") {
    t.device.expect(
        {fails({kModeSelect6}, 5, 0x26), answers({kModeSense6}, mode_reply_6(cache_page(0, 0))),
         takes({kModeSelect6}, mode_list_6(before)), answers({kModeSense6}, mode_reply_6(before))});
  }
  SECTION("ignored") {
    t.device.expect({answers({kModeSelect6}), answers({kModeSense6}, mode_reply_6(before)),
                     answers({kModeSense6}, mode_reply_6(before))});
  }
  CHECK_FALSE(t.drive.settings().set_cache(false, true, false));
  CHECK_FALSE(t.drive.settings().recorded());
}

TEST_CASE("of the caches' bits those are set that may be changed") {
  Identified t;
  const auto before = cache_page(0x04), after = cache_page(0x00, 0x20);
  t.device.expect({answers({kModeSense6, 0, 0x08}, mode_reply_6(before)),
                   answers({kModeSense6, 0, 0x48}, mode_reply_6(cache_page(0x04, 0x20)))});
  SECTION("all but RCD") {
    t.device.expect({answers({kModeSense6, 0, 0x08}, mode_reply_6(before)),
                     takes({kModeSelect6, 0x10}, mode_list_6(after)),
                     answers({kModeSense6, 0, 0x08}, mode_reply_6(after))});
    REQUIRE(t.drive.settings().set_cache_in_part(false, true, true));
    CHECK(t.drive.settings().recorded() == before);
    t.device.expect({takes({kModeSelect6, 0x10}, mode_list_6(before)),
                     answers({kModeSense6}, mode_reply_6(before))});
  }
  SECTION("what they are already is not set") {
    CHECK_FALSE(t.drive.settings().set_cache_in_part(true, true, false));
  }
}

Bytes8 background_page(std::uint8_t scan, std::uint8_t pre_scan) {
  Bytes8 page(16, 0);
  page[0] = 0xDC;  // PS, SPF, 1Ch
  page[1] = 0x01;
  page[3] = 12;
  page[4] = static_cast<std::uint8_t>(0x06 | scan);  // S_L_FULL, LOWIR
  page[5] = pre_scan;
  page[7] = 72;
  return page;
}

Bytes8 unsaved(Bytes8 page) {
  page[0] &= 0x7F;
  return page;
}

TEST_CASE("background scans are stopped and come back, as the drive had them") {
  Identified t;
  const auto before = background_page(1, 1), after = background_page(0, 0);
  t.device.expect(answers({kModeSense6, 0, 0x1C, 0x01}, mode_reply_6(before)));
  SECTION("stopped, and restored by the destructor") {
    t.device.expect({takes({kModeSelect6, 0x10, 0, 0, 20}, mode_list_6(unsaved(after))),
                     answers({kModeSense6, 0, 0x1C, 0x01}, mode_reply_6(after))});
    CHECK(t.drive.settings().stop_background_scan() == Stopped::stopped);
    CHECK_FALSE(t.drive.settings().recorded());  // which are the caches'
    t.drive.settings().restore_cache();
    t.device.expect({takes({kModeSelect6, 0x10, 0, 0, 20}, mode_list_6(unsaved(before))),
                     answers({kModeSense6, 0, 0x1C, 0x01}, mode_reply_6(before))});
  }
  SECTION("taken and not held to: set back at once") {
    const auto other = background_page(0, 1);
    t.device.expect({answers({kModeSelect6}), answers({kModeSense6}, mode_reply_6(other)),
                     answers({kModeSense6}, mode_reply_6(other)),
                     takes({kModeSelect6}, mode_list_6(unsaved(before))),
                     answers({kModeSense6}, mode_reply_6(before))});
    CHECK(t.drive.settings().stop_background_scan() == Stopped::goes_on);
  }
  SECTION("refused") {
    t.device.expect({fails({kModeSelect6}, 5, 0x26), answers({kModeSense6}, mode_reply_6(before))});
    CHECK(t.drive.settings().stop_background_scan() == Stopped::goes_on);
  }
}

TEST_CASE("what is off, or not there, needs no stopping") {
  Identified t;
  t.device.expect(answers({kModeSense6, 0, 0x1C, 0x01}, mode_reply_6(background_page(0, 0))));
  CHECK(t.drive.settings().stop_background_scan() == Stopped::nothing_to_stop);
  t.device.expect(fails({kModeSense6, 0, 0x1A}, 5, 0x24));
  CHECK(t.drive.settings().stop_power_conditions() == Stopped::nothing_to_stop);
}

TEST_CASE("all five power conditions are stopped, the precedence stays") {
  Identified t;
  Bytes8 before(40, 0);
  before[0] = 0x1A;
  before[1] = 38;
  before[2] = 0x41;
  before[3] = 0x0F;
  before[7] = 20;
  auto after = before;
  after[2] = 0x40;
  after[3] = 0;
  t.device.expect({answers({kModeSense6, 0, 0x1A, 0}, mode_reply_6(before)),
                   takes({kModeSelect6, 0x10}, mode_list_6(after)),
                   answers({kModeSense6, 0, 0x1A, 0}, mode_reply_6(after))});
  CHECK(t.drive.settings().stop_power_conditions() == Stopped::stopped);
  t.device.expect({takes({kModeSelect6, 0x10}, mode_list_6(before)),
                   answers({kModeSense6, 0, 0x1A, 0}, mode_reply_6(before))});
}

TEST_CASE("a sector that only a key opens is no medium error: another place will not do") {
  Sense sense;
  sense.key = SenseKey::medium_error;
  CHECK(DriveError(ExitStatus::drive_error, "", sense, 0, 1).may_do_elsewhere());
  sense.asc = 0x74;
  CHECK_FALSE(DriveError(ExitStatus::refused, "", sense, 0, 1).may_do_elsewhere());
}

TEST_CASE("the longest command is the least of what drive and path take, once it was asked for") {
  Identified t;
  t.device.expect(answers({kRead10}));
  t.drive.read(0, 300);
  Bytes8 page(64);
  page[1] = 0xB0;
  page[3] = 60;
  page[10] = 1;  // 256 blocks
  t.device.expect(answers({kInquiry, 1, 0xB0}, page));
  CHECK(t.drive.most_blocks() == 256);
  CHECK_THROWS_WITH(t.drive.read(0, 257), Catch::Contains("256 blocks in one command"));
  t.device.expect(answers({kRead10, 0, 0, 0, 0, 0, 0, 1, 0}));
  t.drive.read(0, 256);
}

TEST_CASE("blocks that are left out are not asked for") {
  Identified t;
  t.drive.leave_out({{10, 19}, {50, 50}});
  for (const int lbn : {9, 10, 19, 49, 50}) {
    try {
      t.drive.read(static_cast<std::uint64_t>(lbn), 2);
      FAIL("it was read");
    } catch (const DriveError& error) {
      CHECK(error.may_do_elsewhere());
    }
  }
  for (int i = 0; i < 4; ++i) t.device.expect(answers({kRead10}));
  for (const int lbn : {8, 20, 48, 51}) t.drive.read(static_cast<std::uint64_t>(lbn), 2);
}

TEST_CASE("what is skipped is refused even where nobody leaves it out") {
  Identified t;
  t.drive.skip({{10, 19}});
  for (const auto& access : std::vector<std::function<void()>>{
           [&] { t.drive.read(19); }, [&] { t.drive.verify(5, 6); }, [&] { t.drive.seek(12); }})
    CHECK_THROWS_WITH(access(), Catch::Contains("this run is to skip 10 to 19"));
}

TEST_CASE("GET LBA STATUS is asked until the last block, and joined") {
  ScriptedDevice device;
  Guard guard(device, {});
  Drive drive(guard, "it");
  Bytes8 capacity(32);
  put_be(&capacity[0], 8, 999);
  put_be(&capacity[8], 4, 512);
  capacity[14] = 0x80;
  device.expect({answers({kInquiry, 0}, inquiry_reply(0, 5)), answers({kTestUnitReady}),
                 answers({kReadCapacity10}, capacity_reply(999)),
                 answers({kServiceActionIn16, 0x10}, capacity), fails({kInquiry, 1, 0x80}, 5, 0x24),
                 fails({kAtaPassThrough16}, 5, 0x20), fails({kAtaPassThrough12}, 5, 0x20),
                 fails({kInquiry, 1, 0x89}, 5, 0x24)});
  drive.identify();
  const auto status = [](std::uint64_t first, std::uint32_t blocks, std::uint8_t provisioning) {
    Bytes8 reply(24);
    put_be(&reply[0], 4, 20);
    put_be(&reply[8], 8, first);
    put_be(&reply[16], 4, blocks);
    reply[20] = provisioning;
    return reply;
  };
  SECTION("to the end") {
    device.expect(
        {answers({kServiceActionIn16, 0x12}, status(0, 100, 0)),
         answers({kServiceActionIn16, 0x12, 0, 0, 0, 0, 0, 0, 0, 100}, status(100, 50, 1)),
         answers({kServiceActionIn16, 0x12, 0, 0, 0, 0, 0, 0, 0, 150}, status(150, 50, 2)),
         answers({kServiceActionIn16, 0x12, 0, 0, 0, 0, 0, 0, 0, 200}, status(200, 800, 0))});
    const auto ranges = drive.unmapped();
    REQUIRE(ranges);
    REQUIRE(ranges->size() == 1);
    CHECK((ranges->front().first == 100 && ranges->front().last == 199));
  }
  SECTION("a drive that answers beside the question, or not at all, does not tell") {
    device.expect(answers({kServiceActionIn16, 0x12}, status(5, 100, 1)));
    CHECK_FALSE(drive.unmapped());
    device.expect(answers({kServiceActionIn16, 0x12}, status(0, 0, 1)));
    CHECK_FALSE(drive.unmapped());
    device.expect(fails({kServiceActionIn16, 0x12}, 5, 0x24));
    CHECK_FALSE(drive.unmapped());
  }
}

TEST_CASE("a drive that is locked, or not ready, says what to do about it") {
  Identified t;
  const auto refused = [&](std::uint8_t key, std::uint8_t asc, std::uint8_t ascq,
                           const std::string& advice, ExitStatus status) {
    t.device.expect(fails({kRead10}, key, asc, ascq));
    if (key == 0xB)
      for (int i = 1; i < 4; ++i) t.device.expect(fails({kRead10}, key, asc, ascq));
    try {
      t.drive.read(7);
      FAIL("it was read");
    } catch (const DriveError& error) {
      CHECK_THAT(error.what(), Catch::Contains(advice));
      CHECK(error.status() == status);
    }
  };
  refused(5, 0x20, 0x02, "unlock it", ExitStatus::refused);
  refused(7, 0x20, 0x02, "unlock it", ExitStatus::refused);
  refused(2, 0x74, 0x71, "unlock it", ExitStatus::refused);
  refused(0xB, 0x74, 0x00, "unlock it", ExitStatus::refused);
  for (const int key : {0x3, 0x4, 0x5, 0x7, 0x8, 0x9, 0xE})
    for (const int ascq : {0x00, 0x02, 0x71, 0x79})
      refused(static_cast<std::uint8_t>(key), 0x74, static_cast<std::uint8_t>(ascq), "unlock it",
              ExitStatus::refused);
  refused(5, 0x20, 0x00, "does not support it", ExitStatus::unsupported);
  refused(7, 0x27, 0x00, "write protected", ExitStatus::drive_error);
  refused(2, 0x04, 0x02, "sg_start --start", ExitStatus::drive_error);
  refused(2, 0x04, 0x04, "being formatted", ExitStatus::drive_error);
  refused(2, 0x3A, 0x00, "no medium", ExitStatus::drive_error);
  refused(3, 0x31, 0x00, "formatted", ExitStatus::drive_error);
}

// holds: safety.md: What is written is what was read
TEST_CASE("a write sends exactly what was read from these sectors, journalled before") {
  Identified t({.writes = {{100, 199}}});
  Bytes8 four(4 * 512);
  for (std::size_t i = 0; i < four.size(); ++i)
    four[i] = static_cast<std::uint8_t>(i * 7 + i / 512);
  t.device.expect(answers({kRead10, 0, 0, 0, 0, 100, 0, 0, 4}, four));
  t.drive.learn_contents(100, 4);
  t.drive.learn_contents(101, 2);  // known: nothing is sent
  std::vector<std::uint64_t> journal;
  t.drive.on_write([&](std::uint64_t lbn, const Bytes8& data) {
    CHECK(data == Bytes8(four.begin() + 512, four.begin() + 3 * 512));
    journal.push_back(lbn);
  });
  t.device.expect(takes({kWrite10, 0x08, 0, 0, 0, 101, 0, 0, 2},
                        Bytes8(four.begin() + 512, four.begin() + 3 * 512)));
  t.drive.write(101, 2, true);
  CHECK(journal == std::vector<std::uint64_t>{101});
  CHECK(t.drive.bytes_written() == 1024);

  SECTION("what is unknown is read first, only that") {
    t.drive.on_write(nullptr);
    t.device.expect({answers({kRead10, 0, 0, 0, 0, 104, 0, 0, 1}, Bytes8(512, 0xAA)),
                     takes({kWrite10, 0, 0, 0, 0, 103, 0, 0, 2}, [&] {
                       Bytes8 data(four.begin() + 3 * 512, four.end());
                       data.insert(data.end(), 512, 0xAA);
                       return data;
                     }())});
    t.drive.write(103, 2);
  }
  SECTION("outside the permission nothing is sent at all") {
    CHECK_FALSE(t.drive.may_write(199, 2));
    CHECK_THROWS_WITH(t.drive.write(199, 2), Catch::Contains("--allow-writes"));
  }
  SECTION("what can't be read whole is never written") {
    const auto short_reply = answers({kRead10}, Bytes8(511));
    t.device.expect({short_reply, short_reply, short_reply});
    CHECK_THROWS_AS(t.drive.write(150), DriveError);
    t.device.expect(fails({kRead10}, 3, 0x11));
    CHECK_THROWS_AS(t.drive.write(150), DriveError);
  }
}

// holds: safety.md: Where a unit attention
TEST_CASE("nothing is written to another drive that a reset has put in the place of the first") {
  const std::uint8_t asc = GENERATE(as<std::uint8_t>{}, 0x28, 0x29, 0x3F);
  Identified t({.writes = {{100, 199}}});
  t.device.expect(answers({kRead10}, Bytes8(512)));
  t.drive.learn_contents(100, 1);
  const auto asked = [&](std::uint32_t last_lbn, std::uint32_t block_bytes = 512) {
    t.device.expect({answers({kInquiry, 0}, inquiry_reply()),
                     answers({kReadCapacity10}, capacity_reply(last_lbn, block_bytes)),
                     fails({kInquiry, 1, 0x80}, 5, 0x24)});
  };
  SECTION("before the write") {
    t.device.expect({fails({kTestUnitReady}, 6, asc), answers({kTestUnitReady})});
    t.drive.test_unit_ready();
    asked(4999);
    CHECK_THROWS_AS(t.drive.write(100), AnotherDrive);
    asked(4999);  // and again, as often as one tries
    CHECK_THROWS_AS(t.drive.write(100), AnotherDrive);
    asked(9999, 4096);  // as many blocks of another length
    CHECK_THROWS_AS(t.drive.write(100), AnotherDrive);
  }
  SECTION("between the write and its repetition") {
    t.device.expect(fails({kWrite10}, 6, asc));
    asked(4999);
    CHECK_THROWS_AS(t.drive.write(100), AnotherDrive);
  }
  SECTION("and it is written to where it is the same") {
    t.device.expect(fails({kWrite10}, 6, asc));
    asked(9999);
    t.device.expect({takes({kWrite10}, Bytes8(512)), takes({kWrite10}, Bytes8(512))});
    t.drive.write(100);
    t.drive.write(100);
  }
}

TEST_CASE("without a guard nothing is written") {
  ScriptedDevice device;
  expect_identify(device);
  Drive drive(device, "bare");
  drive.identify();
  CHECK_THROWS_AS(drive.write(0), Error);
}

TEST_CASE("every command leaves a record") {
  Identified t;
  std::vector<CommandRecord> records;
  t.drive.on_command([&](const CommandRecord& record) { records.push_back(record); });
  t.device.expect({fails({kRead10}, 6, 0x29), answers({kRead10})});
  t.drive.read(42, 3);
  REQUIRE(records.size() == 2);
  CHECK(records[0].status == Status::check_condition);
  CHECK(records[1].lbn == 42);
  CHECK(records[1].blocks == 3);
  CHECK(records[1].completed_ns - records[1].issued_ns == kMillisecond);
}

}  // namespace
}  // namespace platter::scsi
