// MODE SENSE and MODE SELECT, and what the caching page does to the drive.

#include "catch.h"
#include "model/error.h"
#include "scsi/caching_fields.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

enum Control : std::uint8_t { current = 0, changeable = 1, defaults = 2, saved = 3 };

scsi::Command sense_6(std::uint8_t page, Control control = current, bool dbd = true,
                      std::uint8_t allocation = 255) {
  auto built = command({0x1a, 0, 0, 0, 0, 0}, 255);
  built.cdb[1] = dbd ? 8 : 0;
  built.cdb[2] = static_cast<std::uint8_t>(control << 6 | page);
  built.cdb[4] = allocation;
  return built;
}

Bytes page_of(scsi::Device& device, std::uint8_t page, Control control = current) {
  const auto data = run(device, sense_6(page, control)).data;
  return {data.begin() + 4, data.end()};
}

scsi::Command select_6(const Bytes& page, std::uint8_t flags = 0x10) {
  Bytes list(4, 0);
  list.insert(list.end(), page.begin(), page.end());
  auto built = command_with({0x15, 0, 0, 0, 0, 0}, list);
  built.cdb[1] = flags;
  built.cdb[4] = static_cast<std::uint8_t>(list.size());
  return built;
}

scsi::Command select_10(const Bytes& list) {
  auto built = command_with({0x55, 0x10, 0, 0, 0, 0, 0, 0, 0, 0}, list);
  built.cdb[8] = static_cast<std::uint8_t>(list.size());
  return built;
}

}  // namespace

TEST_CASE("the mode parameter headers and the block descriptor") {
  VirtualDevice device(test_drive());
  const auto six = run(device, sense_6(0x08, current, false)).data;
  REQUIRE(six.size() == 4 + 8 + 20);
  REQUIRE(Bytes(six.begin(), six.begin() + 12) ==
          Bytes{31, 0, 0x10, 8, 0, 0, 0x1c, 0x81, 0, 0, 2, 0});
  const auto ten = run(device, command({0x5a, 0, 0x08, 0, 0, 0, 0, 1, 0, 0}, 256)).data;
  REQUIRE(ten.size() == 8 + 8 + 20);
  REQUIRE(Bytes(ten.begin(), ten.begin() + 8) == Bytes{0, 34, 0, 0x10, 0, 0, 0, 8});
  REQUIRE(Bytes(ten.begin() + 16, ten.end()) == Bytes(six.begin() + 12, six.end()));
  const auto cut = run(device, sense_6(0x08, current, false, 3));
  REQUIRE(cut.data == Bytes{31, 0, 0x10});  // the mode data length tells of what was cut
  REQUIRE(cut.residual == 252);
}

TEST_CASE("every page comes alone and with page 3Fh, in ascending order") {
  VirtualDevice device(test_drive());
  const auto all = page_of(device, 0x3f);
  std::size_t at = 0;
  for (const int code : {0x01, 0x02, 0x03, 0x04, 0x08, 0x0a, 0x0c}) {
    const auto page = page_of(device, static_cast<std::uint8_t>(code));
    REQUIRE(page[0] == code);
    REQUIRE(page.size() == 2u + page[1]);
    REQUIRE(all.size() >= at + page.size());
    REQUIRE(std::equal(page.begin(), page.end(), all.begin() + static_cast<std::ptrdiff_t>(at)));
    at += page.size();
  }
  REQUIRE(at == all.size());
  REQUIRE(sense_for(device, sense_6(0x1c)) == 0x52400);
  auto subpage = sense_6(0x08);
  subpage.cdb[3] = 1;
  REQUIRE(sense_for(device, subpage) == 0x52400);
}

TEST_CASE("saved values are not offered, nor is saving") {
  VirtualDevice device(test_drive());
  REQUIRE(sense_for(device, sense_6(0x08, saved)) == 0x53900);
  REQUIRE(sense_for(device, select_6(page_of(device, 0x08), 0x11)) == 0x52400);
}

TEST_CASE("geometry, format, notch and caching pages tell what the model says") {
  VirtualDevice device(test_drive());
  const auto geometry = page_of(device, 0x04);
  REQUIRE(scsi::get_be(&geometry[2], 3) == 100);
  REQUIRE(geometry[5] == 4);
  REQUIRE(scsi::get_be16(&geometry[20]) == 6000);

  const auto format = page_of(device, 0x03);
  REQUIRE(scsi::get_be16(&format[10]) == 20);
  REQUIRE(scsi::get_be16(&format[12]) == 512);
  REQUIRE(scsi::get_be16(&format[16]) == 2);  // 0.1 revolutions of 20 sectors
  REQUIRE(scsi::get_be16(&format[18]) == 6);

  auto notch = page_of(device, 0x0c);
  REQUIRE(scsi::get_be16(&notch[4]) == 2);
  REQUIRE(notch[23] == 0x08);  // page 03h follows the active notch
  REQUIRE(scsi::get_be(&notch[12], 3) == 99);
  notch[7] = 2;
  // Boundaries are not changeable: only the active notch is sent changed.
  REQUIRE(sense_for(device, select_6(notch)) == 0);
  const auto inner = page_of(device, 0x03);
  REQUIRE(scsi::get_be16(&inner[10]) == 16);
  REQUIRE(scsi::get_be16(&inner[16]) == 2);
  REQUIRE(scsi::get_be16(&inner[18]) == 4);
  auto active = page_of(device, 0x0c);
  REQUIRE(scsi::get_be(&active[8], 3) == 60);
  active[7] = 3;
  REQUIRE(sense_for(device, select_6(active)) == 0x52600);

  const auto caching = page_of(device, 0x08);
  REQUIRE(caching[2] == 0x14);  // DISC, WCE, RCD clear
  REQUIRE((caching[12] & 0x20) == 0);
  REQUIRE(scsi::get_be16(&caching[8]) == 30);
  REQUIRE(caching[13] == 3);
  REQUIRE(scsi::get_be16(&caching[14]) == 40);
}

TEST_CASE("what can be changed is what the firmware lets, and what the drive can do") {
  VirtualDevice device(test_drive());
  const auto mask = page_of(device, 0x08, changeable);
  Bytes expected(20, 0);
  expected[0] = 0x08;
  expected[1] = 0x12;
  expected[2] = 0x1f;                                       // DISC, SIZE, WCE, MF, RCD
  for (std::size_t i = 4; i < 12; ++i) expected[i] = 0xff;  // of read-ahead
  expected[12] = 0x20;                                      // DRA
  expected[13] = expected[14] = expected[15] = 0xff;        // segments and their size
  REQUIRE(mask == expected);

  auto fixed = test_drive();
  fixed.firmware->cache_page_changeable = false;
  VirtualDevice rigid(fixed);
  REQUIRE(page_of(rigid, 0x08, changeable)[2] == 0);
  auto page = page_of(rigid, 0x08);
  page[2] ^= 0x04;
  REQUIRE(sense_for(rigid, select_6(page)) == 0x52600);

  auto some = test_drive();
  some.firmware->fixed_cache_fields = {"WCE", "NUMBER OF CACHE SEGMENTS", "MINIMUM PRE-FETCH"};
  some.firmware->ignored_cache_fields = {"IC"};
  VirtualDevice partly(some);
  const auto partly_mask = page_of(partly, 0x08, changeable);
  REQUIRE(partly_mask[2] == 0x9b);
  REQUIRE(partly_mask[6] == 0);
  REQUIRE(partly_mask[8] == 0xff);
  REQUIRE(partly_mask[13] == 0);
  some.firmware->fixed_cache_fields = {"WCE bit"};
  REQUIRE_THROWS_AS(VirtualDevice(some), Error);

  auto without = test_drive();
  without.cache.write_back_level = value(0);
  VirtualDevice through(without);
  REQUIRE(page_of(through, 0x08)[2] == 0x10);
  REQUIRE(page_of(through, 0x08, changeable)[2] == 0x1b);
}

TEST_CASE("MODE SELECT changes what can be changed, and nothing on an error") {
  VirtualDevice device(test_drive());
  const auto original = page_of(device, 0x08);
  auto page = original;
  page[2] = 0x11;
  page[12] |= 0x20;
  REQUIRE(sense_for(device, select_6(page)) == 0);
  REQUIRE(page_of(device, 0x08) == page);
  REQUIRE(page_of(device, 0x08, defaults) == original);

  auto wrong = original;
  wrong[13] = 0;  // segments
  const auto refused = run(device, select_6(wrong));
  REQUIRE(sense_of(refused) == 0x52600);
  REQUIRE(scsi::get_be16(&refused.sense[16]) == 4 + 13);
  REQUIRE(page_of(device, 0x08) == page);

  // A good page before a bad one takes no effect.
  Bytes two = original;
  const auto geometry = page_of(device, 0x04);
  two.insert(two.end(), geometry.begin(), geometry.end());
  two[20 + 5] = 77;
  REQUIRE(sense_for(device, select_6(two)) == 0x52600);
  REQUIRE(page_of(device, 0x08) == page);

  REQUIRE(device.reset());
  REQUIRE(sense_for(device, command({0x00, 0, 0, 0, 0, 0})) == 0x62900);
  REQUIRE(page_of(device, 0x08) == original);
}

TEST_CASE("MODE SELECT parameter lists of the wrong form") {
  VirtualDevice device(test_drive());
  const auto page = page_of(device, 0x08);
  auto cut = page;
  cut.pop_back();
  REQUIRE(sense_for(device, select_6(cut)) == 0x51a00);
  auto unknown = page;
  unknown[0] = 0x1c;
  REQUIRE(sense_for(device, select_6(unknown)) == 0x52600);
  auto length = page;
  length[1] = 0x0a;
  REQUIRE(sense_for(device, select_6(length)) == 0x52600);
  REQUIRE(sense_for(device, select_10({0, 0, 0})) == 0x51a00);
  REQUIRE(sense_for(device, select_10({0, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4})) == 0x52600);
  REQUIRE(sense_for(device, select_10({0, 0, 0, 0, 0, 0, 0, 8, 1, 2, 3, 4})) == 0x51a00);
  REQUIRE(sense_for(device, select_10({0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2, 0})) == 0);
  REQUIRE(sense_for(device, select_10({0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 4, 0})) ==
          0x52600);
  REQUIRE(sense_for(device, select_10({0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 2, 0})) ==
          0x52600);
  REQUIRE(sense_for(device, command({0x15, 0x10, 0, 0, 0, 0})) == 0);  // nothing to change
  REQUIRE(sense_for(device, command({0x15, 0x10, 0, 0, 12, 0})) == 0xb4b00);
}

TEST_CASE("the caching page takes effect, unless the drive lies") {
  const auto second_read_ns = [](const model::DriveModel& model, std::uint8_t flags) {
    VirtualDevice device(model);
    auto page = page_of(device, 0x08);
    page[2] = flags;
    REQUIRE(sense_for(device, select_6(page)) == 0);
    REQUIRE(page_of(device, 0x08)[2] == flags);
    run(device, read_10(500, 4));
    return run(device, read_10(500, 4)).response_ns();
  };
  auto honest = test_drive();
  REQUIRE(second_read_ns(honest, 0x14) < kMillisecond);
  REQUIRE(second_read_ns(honest, 0x15) > 4 * kMillisecond);
  auto liar = test_drive();
  liar.imperfections.emplace().mode_page_lies = true;
  REQUIRE(second_read_ns(liar, 0x15) < kMillisecond);
}

TEST_CASE("pages with a subpage are asked for and set by both numbers") {
  auto model = test_drive();
  model.firmware->scsi_level = "SPC-3";
  VirtualDevice device(model);
  CHECK(sense_for(device, sense_6(0x1c)) == 0x52400);
  auto asked = sense_6(0x1c);
  asked.cdb[3] = 0x01;
  const auto data = run(device, asked).data;
  const Bytes page(data.begin() + 4, data.end());
  REQUIRE(page.size() == 16);
  CHECK(Bytes(page.begin(), page.begin() + 4) == Bytes{0x5c, 0x01, 0, 12});
  auto changed = page;
  changed[4] = 0x01;
  CHECK(sense_for(device, select_6(changed)) == 0);
  CHECK(run(device, asked).data[4 + 4] == 0x01);
  changed[6] ^= 0x01;  // not changeable
  CHECK(sense_for(device, select_6(changed)) == 0x52600);
  changed = page;
  changed[3] = 11;
  CHECK(sense_for(device, select_6(changed)) == 0x52600);
  changed = page;
  changed[1] = 0x02;
  CHECK(sense_for(device, select_6(changed)) == 0x52600);
  CHECK(sense_for(device, select_6({0x5c})) == 0x51a00);
  auto all = sense_6(0x3f);
  const auto without = run(device, all).data.size();
  all.cdb[3] = 0xff;
  CHECK(run(device, all).data.size() == without + 16);
}

namespace {

// Under a page with that field: how long the last of these one-block reads takes, 50 ms apart.
Nanoseconds last_read_ns(model::DriveModel model, std::string_view field, std::uint32_t value_set,
                         const std::vector<std::uint32_t>& lbns) {
  VirtualDevice device(model);
  auto page = page_of(device, 0x08);
  if (!field.empty()) {
    scsi::set_value(page, *scsi::find_caching_field(field), value_set);
    REQUIRE(sense_for(device, select_6(page)) == 0);
  }
  Nanoseconds last = 0;
  for (const std::uint32_t lbn : lbns) {
    device.clock().sleep_until_ns(device.clock().now_ns() + 50 * kMillisecond);
    last = run(device, read_10(lbn, 1)).response_ns();
  }
  return last;
}

bool hits(const model::DriveModel& model, std::string_view field, std::uint32_t value_set,
          const std::vector<std::uint32_t>& lbns) {
  return last_read_ns(model, field, value_set, lbns) < 2 * kMillisecond;
}

}  // namespace

TEST_CASE("the fields of the caching page act on the drive") {
  auto drive = test_drive();
  drive.cache.read_ahead_max_blocks = value(0);
  const std::vector<std::uint32_t> three{500, 1000, 1500, 500}, four{500, 1000, 1500, 2000, 500};
  CHECK(hits(drive, "", 0, three));
  CHECK_FALSE(hits(drive, "", 0, four));
  CHECK(hits(drive, "NUMBER OF CACHE SEGMENTS", 4, four));
  CHECK_FALSE(hits(drive, "NUMBER OF CACHE SEGMENTS", 2, three));
  CHECK(hits(drive, "", 0, {500, 539}));
  CHECK_FALSE(hits(drive, "", 0, {500, 541}));
  CHECK(hits(drive, "NUMBER OF CACHE SEGMENTS", 2, {500, 559}));
  CHECK(hits(drive, "MAXIMUM PRE-FETCH", 10, {500, 510}));
  CHECK_FALSE(hits(drive, "MAXIMUM PRE-FETCH", 10, {500, 511}));
  CHECK_FALSE(hits(drive, "MAXIMUM PRE-FETCH", 0, {500, 501}));
  CHECK_FALSE(hits(drive, "MAXIMUM PRE-FETCH CEILING", 5, {500, 506}));
  CHECK_FALSE(hits(drive, "DISABLE PRE-FETCH TRANSFER LENGTH", 0, {500, 501}));
  CHECK(hits(drive, "DISABLE PRE-FETCH TRANSFER LENGTH", 1, {500, 501}));
  CHECK_FALSE(hits(drive, "DRA", 1, {500, 501}));

  // By size: the number follows, and is shown.
  VirtualDevice device(drive);
  auto page = page_of(device, 0x08);
  const auto original = page;
  page[2] |= 0x08;
  scsi::put_be(&page[14], 2, 60);
  REQUIRE(sense_for(device, select_6(page)) == 0);
  page[13] = 2;
  CHECK(page_of(device, 0x08) == page);
  REQUIRE(sense_for(device, select_6(original)) == 0);
  CHECK(page_of(device, 0x08) == original);

  // Shown, and not done.
  drive.firmware->ignored_cache_fields = {"NUMBER OF CACHE SEGMENTS", "DRA"};
  CHECK_FALSE(hits(drive, "NUMBER OF CACHE SEGMENTS", 4, four));
  CHECK(hits(drive, "DRA", 1, {500, 501}));
}

TEST_CASE("a change of the caching page keeps what was written") {
  auto drive = test_drive();
  drive.cache.destage_behind = value(1);
  drive.cache.destage_idle = value(1000);
  VirtualDevice device(drive);
  const Bytes data(512, 0x5a);
  CHECK(run(device, write_10(700, data)).response_ns() < 2 * kMillisecond);
  auto page = page_of(device, 0x08);
  page[13] = 2;
  REQUIRE(sense_for(device, select_6(page)) == 0);
  const auto read = run(device, read_10(700, 1));
  CHECK(read.data == data);
  CHECK(read.response_ns() > 2 * kMillisecond);  // it went to the media, and the buffer is empty
}
