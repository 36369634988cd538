// Zones that are written in order: each rule of ZBC-2 broken by hand.

#include "model/zones.h"

#include <algorithm>
#include <string>

#include "catch.h"
#include "model/error.h"
#include "model/validate.h"
#include "scsi/commands.h"
#include "scsi/replies.h"
#include "scsi/zones.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/newer_drive.h"
#include "virtual_drive/open.h"
#include "virtual_drive/zone_list.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace of_zones {
namespace {

constexpr std::uint64_t kZone = 500;
constexpr std::uint32_t kUnaligned = 0x52104, kWriteBoundary = 0x52105, kInvalidData = 0x52106,
                        kReadBoundary = 0x52107, kInvalidField = 0x52400, kOutOfRange = 0x52100,
                        kReadOnly = 0x72708, kOffline = 0x72c0e, kResources = 0x7550e;

// Zone 0 conventional, 1 full, 2 closed at 100 blocks, 3 to 11 empty, 12 can only be read, 13 is
// offline; the last one is shorter.
model::DriveModel zoned_drive(bool restricted, const char* type = "sequential-required") {
  model::DriveModel model = spc4_drive();
  model::Identity& drive = model.identity;
  drive.zones = std::string(type) == "sequential-required" ? "host-managed" : "host-aware";
  drive.blocks = 14 * kZone + 100;
  drive.most_open_zones = 3;
  drive.reads_past_pointers = !restricted;
  const auto add = [&](std::uint64_t zones, const char* condition, std::uint64_t written = 0) {
    const std::uint64_t at = drive.zone_runs.empty() ? 0
                                                     : drive.zone_runs.back().first_lbn +
                                                           drive.zone_runs.back().zones * kZone;
    const bool is_first = drive.zone_runs.empty();
    drive.zone_runs.push_back({.first_lbn = at,
                               .zones = zones,
                               .blocks = std::min(kZone, drive.blocks - at),
                               .type = is_first ? "conventional" : type,
                               .condition = condition,
                               .written = written});
  };
  add(1, "not-write-pointer");
  add(1, "full");
  add(1, "closed", 100);
  add(9, "empty");
  add(1, "read-only");
  add(1, "offline");
  add(1, "empty");
  return model;
}

struct Drive {
  explicit Drive(const model::DriveModel& model) : device(model) {
    run(device, command({0, 0, 0, 0, 0, 0}));  // whatever attention there is
  }
  std::uint32_t write(std::uint64_t lbn, std::uint16_t blocks) {
    return sense_for(device, write_10(static_cast<std::uint32_t>(lbn),
                                      std::vector<std::uint8_t>(blocks * 512u, 0x5a)));
  }
  std::uint32_t read(std::uint64_t lbn, std::uint16_t blocks) {
    return sense_for(device, read_10(static_cast<std::uint32_t>(lbn), blocks));
  }
  std::uint32_t act(std::uint8_t action, std::uint64_t lbn, bool all = false) {
    scsi::Command out = command({0x94, action, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    scsi::put_be(&out.cdb[2], 8, lbn);
    out.cdb[14] = all ? 1 : 0;
    return sense_for(device, out);
  }
  std::vector<std::uint8_t> report(std::uint64_t from, std::uint8_t options,
                                   std::uint32_t room = 64 * 40) {
    scsi::Command in = scsi::report_zones(from, room);
    in.cdb[14] = options;
    return run(device, in).data;
  }
  model::ZoneRun zone(std::uint64_t number) {
    return scsi::decode_zones(report(number * kZone, 0x80, 128)).value().at(0);
  }
  std::string condition(std::uint64_t number) { return zone(number).condition; }

  VirtualDevice device;
};

constexpr std::uint8_t kClose = 1, kFinish = 2, kOpen = 3, kReset = 4;

}  // namespace

TEST_CASE("a write to a zone begins at its pointer, ends in it, and moves it") {
  Drive drive(zoned_drive(false));
  CHECK(drive.write(3 * kZone + 1, 1) == kUnaligned);
  CHECK(drive.write(3 * kZone, 10) == 0);
  CHECK(drive.zone(3).written == 10);
  CHECK(drive.write(3 * kZone, 10) == kUnaligned);
  CHECK(drive.write(3 * kZone + 11, 1) == kUnaligned);
  CHECK(drive.write(3 * kZone + 10, 480) == 0);
  CHECK(drive.write(3 * kZone + 490, 11) == kWriteBoundary);
  CHECK(drive.condition(3) == "implicitly-open");
  CHECK(drive.write(3 * kZone + 490, 10) == 0);
  CHECK(drive.condition(3) == "full");
  CHECK(drive.write(3 * kZone, 1) == kInvalidField);
  CHECK(drive.write(2 * kZone + 100, 1) == 0);  // a closed one goes on
  CHECK(drive.write(12 * kZone, 1) == kReadOnly);
  CHECK(drive.write(13 * kZone, 1) == kOffline);
  CHECK(drive.write(0, 100) == 0);  // conventional: anywhere, and again
  CHECK(drive.write(0, 100) == 0);
  CHECK(drive.write(kZone - 1, 2) == kWriteBoundary);
  CHECK(drive.write(14 * kZone, 100) == 0);  // the last one is shorter
  CHECK(drive.condition(14) == "full");
}

TEST_CASE("WRITE SAME and WRITE AND VERIFY break no rule either") {
  Drive drive(zoned_drive(false));
  const std::vector<std::uint8_t> block(512, 1);
  CHECK(sense_for(drive.device, with_data(on_blocks(0x41, 3 * kZone + 5, 2), block)) == kUnaligned);
  CHECK(sense_for(drive.device, with_data(on_blocks(0x2e, 3 * kZone + 5, 1), block)) == kUnaligned);
  CHECK(drive.zone(3).condition == "empty");
  CHECK(sense_for(drive.device, with_data(on_blocks(0x41, 3 * kZone, 2), block)) == 0);
  CHECK(sense_for(drive.device, with_data(on_blocks(0x2e, 3 * kZone + 2, 1), block)) == 0);
  CHECK(drive.zone(3).written == 3);
}

TEST_CASE("of a write that a zone refuses nothing is written") {
  Drive drive(zoned_drive(false));
  CHECK(drive.write(2 * kZone + 50, 1) == kUnaligned);
  CHECK(run(drive.device, read_10(2 * kZone + 50, 1)).data == unwritten(2 * kZone + 50, 1));
}

TEST_CASE("logical blocks are written by whole physical ones") {
  model::DriveModel model = zoned_drive(false);
  model.identity.physical_block_bytes = 4096;
  Drive drive(model);
  CHECK(drive.write(4 * kZone, 4) == kUnaligned);
  CHECK(drive.write(4 * kZone, 8) == 0);
  CHECK(drive.write(4 * kZone + 8, 7) == kUnaligned);
}

TEST_CASE("what lies above a pointer is refused, or zeros without the media, by URSWRZ") {
  Drive strict(zoned_drive(true));
  CHECK(strict.read(2 * kZone, 100) == 0);
  CHECK(strict.read(2 * kZone + 99, 2) == kInvalidData);
  CHECK(strict.read(3 * kZone, 1) == kInvalidData);
  CHECK(strict.read(2 * kZone - 1, 2) == kReadBoundary);
  CHECK(strict.read(kZone - 1, 2) == kReadBoundary);
  CHECK(strict.read(kZone, 500) == 0);
  CHECK(strict.read(13 * kZone, 1) == kOffline);
  CHECK(sense_for(strict.device, on_blocks(0x2f, 3 * kZone, 1)) == kInvalidData);

  Drive lenient(zoned_drive(false));
  CHECK(lenient.read(2 * kZone - 1, 2) == 0);
  CHECK(lenient.read(13 * kZone, 1) == kOffline);
  const auto above = run(lenient.device, read_10(2 * kZone + 99, 3));
  auto expected = unwritten(2 * kZone + 99, 1);
  expected.resize(3 * 512, 0);
  CHECK(above.data == expected);
  const auto nothing = run(lenient.device, read_10(5 * kZone, 1));
  CHECK(nothing.data == std::vector<std::uint8_t>(512, 0));
  CHECK(nothing.completed_ns - nothing.issued_ns < 2 * kMillisecond);  // no platter turned for it
}

TEST_CASE("open zones are limited: the drive closes its own ones, never those of the host") {
  Drive drive(zoned_drive(false));
  for (const std::uint64_t zone : {3, 4, 5, 6}) CHECK(drive.write(zone * kZone, 1) == 0);
  CHECK(drive.condition(3) == "closed");
  CHECK(drive.condition(6) == "implicitly-open");
  for (const std::uint64_t zone : {7, 8, 9}) CHECK(drive.act(kOpen, zone * kZone) == 0);
  CHECK(drive.condition(6) == "closed");
  CHECK(drive.act(kOpen, 10 * kZone) == kResources);
  CHECK(drive.write(10 * kZone, 1) == kResources);
  CHECK(drive.act(kOpen, 0, true) == kResources);  // all closed ones would be too many
  CHECK(drive.write(7 * kZone, 500) == 0);         // a full one is open no more
  CHECK(drive.write(10 * kZone, 1) == 0);
}

TEST_CASE("CLOSE, FINISH, OPEN and RESET WRITE POINTER, of one zone and of all") {
  Drive drive(zoned_drive(false));
  CHECK(drive.act(kOpen, 3 * kZone) == 0);
  CHECK(drive.condition(3) == "explicitly-open");
  CHECK(drive.act(kClose, 3 * kZone) == 0);
  CHECK(drive.condition(3) == "empty");  // nothing was written
  CHECK(drive.write(3 * kZone, 1) == 0);
  CHECK(drive.act(kClose, 3 * kZone) == 0);
  CHECK(drive.condition(3) == "closed");
  CHECK(drive.act(kFinish, 3 * kZone) == 0);
  CHECK(drive.condition(3) == "full");
  CHECK(drive.act(kReset, 3 * kZone) == 0);
  CHECK(drive.condition(3) == "empty");
  CHECK(drive.write(3 * kZone, 1) == 0);
  CHECK(drive.act(kFinish, 0, true) == 0);  // of open and closed ones
  CHECK(drive.condition(2) == "full");
  CHECK(drive.condition(3) == "full");
  CHECK(drive.condition(4) == "empty");
  CHECK(drive.act(kReset, 0, true) == 0);
  for (const std::uint64_t zone : {1, 2, 3}) CHECK(drive.condition(zone) == "empty");
  CHECK(drive.condition(12) == "read-only");
  CHECK(drive.act(kReset, 0) == kInvalidField);              // conventional
  CHECK(drive.act(kReset, 3 * kZone + 1) == kInvalidField);  // not where a zone begins
  CHECK(drive.act(kReset, 14 * kZone + 100) == kOutOfRange);
  CHECK(drive.act(kReset, 12 * kZone) == kReadOnly);
  CHECK(drive.act(kOpen, 13 * kZone) == kOffline);
}

TEST_CASE("REPORT ZONES: options, SAME, partial lists, pointers that tell nothing") {
  Drive drive(zoned_drive(false));
  const auto count = [&](std::uint8_t options) {
    return scsi::get_be32(drive.report(0, options).data()) / 64;
  };
  CHECK(count(0x00) == 15);
  CHECK(count(0x01) == 10);  // empty
  CHECK(count(0x04) == 1);   // closed
  CHECK(count(0x05) == 1);   // full
  CHECK(count(0x06) == 1);   // can only be read
  CHECK(count(0x07) == 1);   // offline
  CHECK(count(0x10) == 0);   // to be reset
  CHECK(count(0x3f) == 1);   // without a pointer
  scsi::Command unknown = scsi::report_zones(0, 64);
  unknown.cdb[14] = 0x08;
  CHECK(sense_for(drive.device, unknown) == kInvalidField);
  CHECK(sense_for(drive.device, scsi::report_zones(14 * kZone + 100, 64)) == kOutOfRange);

  CHECK(drive.report(0, 0)[4] == 0);      // one of another type, one of another length
  CHECK(drive.report(kZone, 0)[4] == 2);  // all alike but the last one's length
  CHECK(drive.report(kZone, 0x05)[4] == 1);
  CHECK(scsi::get_be(drive.report(0, 0).data() + 8, 8) == 14 * kZone + 99);
  const auto whole = drive.report(3 * kZone + 7, 0x00, 64 * 3),
             part = drive.report(3 * kZone + 7, 0x80, 64 * 3);
  CHECK(scsi::get_be32(whole.data()) == 12 * 64);
  CHECK(scsi::get_be32(part.data()) == 2 * 64);
  CHECK(part.size() == 64 * 3);
  CHECK(scsi::get_be(part.data() + 64 + 16, 8) == 3 * kZone);
  CHECK(scsi::get_be(drive.report(kZone, 0).data() + 64 + 24, 8) == ~std::uint64_t{0});  // full
}

TEST_CASE("host-aware zones take any write, and tell that it was out of order") {
  Drive drive(zoned_drive(true, "sequential-preferred"));
  CHECK(drive.write(3 * kZone + 5, 10) == 0);
  CHECK(drive.zone(3).written == 15);
  CHECK(drive.write(4 * kZone - 1, 2) == 0);  // across their boundary
  CHECK(drive.condition(3) == "full");
  CHECK(scsi::get_be32(drive.report(0, 0x11).data()) / 64 == 1);
  CHECK(drive.read(5 * kZone, 1) == 0);
}

TEST_CASE("reads that lie in several zones are told from others") {
  const auto runs = zoned_drive(true).identity.zone_runs;
  CHECK_FALSE(model::crosses_zones(runs, kZone - 1, 1));
  CHECK(model::crosses_zones(runs, kZone - 1, 2));
  CHECK(model::crosses_zones(runs, 4 * kZone - 1, 2));  // two of one run
  CHECK_FALSE(model::crosses_zones(runs, 4 * kZone, kZone));
  CHECK_FALSE(model::crosses_zones(runs, 14 * kZone, 100));
  CHECK_FALSE(
      model::crosses_zones({{0, 3, kZone, "conventional", "not-write-pointer"}}, 10, 2 * kZone));
  CHECK_FALSE(model::crosses_zones({}, 10, 2 * kZone));
}

TEST_CASE("the device type, pages B1h and B6h, and READ CAPACITY tell of zones") {
  Drive managed(zoned_drive(true)), aware(zoned_drive(false, "sequential-preferred"));
  const auto page = [](Drive& drive, std::uint8_t number) {
    return run(drive.device, scsi::inquiry_vpd(number)).data;
  };
  CHECK(run(managed.device, scsi::inquiry()).data[0] == 0x14);
  CHECK(run(aware.device, scsi::inquiry()).data[0] == 0x00);
  CHECK(page(managed, 0xb1)[8] == 0x00);
  CHECK(page(aware, 0xb1)[8] == 0x10);
  const auto told = scsi::decode_zoned_characteristics(page(managed, 0xb6)).value();
  CHECK(told.most_open == 3u);
  CHECK_FALSE(told.reads_beyond_write_pointer);
  CHECK(page(managed, 0xb6)[0] == 0x14);
  CHECK(run(managed.device, scsi::read_capacity_16()).data[12] == 0x10);
  Drive plain(spc4_drive());
  CHECK(sense_for(plain.device, scsi::report_zones(0, 64)) == 0x52000);
  CHECK(sense_for(plain.device, scsi::inquiry_vpd(0xb6)) == kInvalidField);
}

TEST_CASE("a power cut closes zones, and takes what was lost and all behind it in its zone") {
  ZoneList zones(zoned_drive(false).identity);
  CHECK_FALSE(zones.write(3 * kZone, 50));
  CHECK_FALSE(zones.write(4 * kZone, 50));
  CHECK_FALSE(zones.act(ZoneList::Action::open, 5 * kZone, false));
  CHECK_FALSE(zones.write(6 * kZone, 50));
  zones.mark_durable(4 * kZone + 40);
  const LbnRange lost[] = {{3 * kZone + 20, 3 * kZone + 29}, {4 * kZone + 10, 4 * kZone + 49}};
  zones.cut_power(lost);
  CHECK(zones.zones()[3].written == 20);
  CHECK(zones.zones()[4].written == 40);  // that was to outlive the power
  CHECK(zones.zones()[5].condition == ZoneCondition::empty);
  CHECK(zones.zones()[6].written == 50);
  CHECK(zones.zones()[6].condition == ZoneCondition::closed);
  CHECK(zones.zones()[1].condition == ZoneCondition::full);
}

TEST_CASE("virtual drives of each kind of zones are valid models, and are what they tell") {
  for (const char* kind : {"host-managed", "host-aware", "restricted", "empty"}) {
    const auto model = virtual_model(std::string("modern-500gb?zoned=") + kind);
    CHECK_NOTHROW(model::validate(model, kind));
    CHECK((model::unwritten_share(model.identity) > model::kMostUnwritten) ==
          (std::string(kind) == "empty"));
    CHECK(model.identity.zone_runs.size() < 10);
    VirtualDevice device(model);
    run(device, command({0, 0, 0, 0, 0, 0}));
    const auto told = scsi::decode_zones(run(device, scsi::report_zones(0, 64 * 1024)).data);
    REQUIRE(told);
    CHECK(told->size() == 1023);
    CHECK(told->at(0).type == "conventional");
  }
  CHECK_THROWS_AS(virtual_model("modern-500gb?zoned=no"), Error);
  CHECK_THROWS_AS(virtual_model("modern-2arms?zoned=empty"), Error);
}

}  // namespace of_zones
