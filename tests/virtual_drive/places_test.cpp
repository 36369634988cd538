// Address translation and defect lists against the layout itself.
#include <random>

#include "catch.h"
#include "engine/random_layout.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

scsi::Command send_translate(std::uint8_t from, std::uint8_t to, std::uint64_t address) {
  Bytes list{0x40, 0, 0, 0x0a, from, to, 0, 0, 0, 0, 0, 0, 0, 0};
  scsi::put_be(&list[6], 8, address);
  return command_with({0x1d, 0x10, 0, 0, 14, 0}, list);
}

const scsi::Command kReceive = command({0x1c, 1, 0x40, 0, 64, 0}, 64);

Bytes translated(scsi::Device& device, std::uint8_t from, std::uint8_t to, std::uint64_t address) {
  const auto sent = run(device, send_translate(from, to, address));
  REQUIRE(sense_of(sent) == 0);
  return run(device, kReceive).data;
}

std::uint64_t place(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) {
  return std::uint64_t{cylinder} << 40 | std::uint64_t{head} << 32 | sector;
}

Bytes defect_list(scsi::Device& device, std::uint8_t selection, std::uint16_t allocation = 65535) {
  auto what = command({0x37, 0, selection, 0, 0, 0, 0, 0, 0, 0}, allocation);
  scsi::put_be(&what.cdb[7], 2, allocation);
  return run(device, what).data;
}

}  // namespace

TEST_CASE("page 40h gives the layout's own place for every block, and the way back") {
  VirtualDevice device(test_drive());
  for (std::uint64_t lbn = 0; lbn < 7297; ++lbn) {
    const auto pbn = device.layout().pbn_of_lbn(lbn);
    const auto there = translated(device, 0b000, 0b101, lbn << 32);
    REQUIRE(there.size() == 14);
    REQUIRE(there[0] == 0x40);
    REQUIRE(scsi::get_be16(&there[2]) == 10);
    REQUIRE(there[4] == 0b000);
    REQUIRE(there[5] == (lbn == 200 ? 0x45 : 0x05));  // ALTSEC for the remapped block
    REQUIRE(scsi::get_be(&there[6], 8) == place(pbn.cylinder, pbn.head, pbn.sector));
    const auto back = translated(device, 0b101, 0b000, place(pbn.cylinder, pbn.head, pbn.sector));
    REQUIRE(scsi::get_be32(&back[6]) == lbn);
    REQUIRE(scsi::get_be32(&back[10]) == 0);
  }
  REQUIRE(scsi::get_be(&translated(device, 0b101, 0b011, place(0, 1, 0))[6], 8) == 20);
}

TEST_CASE("a place without a block is a reserved area") {
  VirtualDevice device(test_drive());
  for (const auto& [cylinder, head, sector] :
       {std::tuple{0, 1, 10}, std::tuple{0, 3, 19}, std::tuple{2, 2, 3}}) {
    const auto back = translated(
        device, 0b101, 0b000,
        place(static_cast<std::uint32_t>(cylinder), static_cast<std::uint32_t>(head),
              static_cast<std::uint32_t>(sector)));
    REQUIRE(back == Bytes{0x40, 0, 0, 2, 0b101, 0x80});
  }
  // The spare sector that holds a remapped block leads to it.
  const auto spare = translated(device, 0b101, 0b000, place(2, 3, 19));
  REQUIRE(spare[5] == 0x40);
  REQUIRE(scsi::get_be32(&spare[6]) == 200);
}

TEST_CASE("translations that make no sense are refused") {
  VirtualDevice device(test_drive());
  const auto sense_for = [&](const scsi::Command& what) { return sense_of(run(device, what)); };
  REQUIRE(sense_for(kReceive) == 0x52c00);  // nothing was asked yet
  REQUIRE(sense_for(send_translate(0b000, 0b101, 7297ull << 32)) == 0x52100);
  REQUIRE(sense_for(send_translate(0b100, 0b101, 0)) == 0x52600);
  REQUIRE(sense_for(send_translate(0b000, 0b100, 0)) == 0x52600);
  REQUIRE(sense_for(send_translate(0b101, 0b000, place(0, 4, 0))) == 0x52600);
  REQUIRE(sense_for(send_translate(0b101, 0b000, place(100, 0, 0))) == 0x52600);
  REQUIRE(sense_for(send_translate(0b101, 0b000, place(0, 0, 20))) == 0x52600);
  auto no_page_format = send_translate(0b000, 0b101, 0);
  no_page_format.cdb[1] = 0;
  REQUIRE(sense_for(no_page_format) == 0x52400);
  auto cut = send_translate(0b000, 0b101, 0);
  cut.cdb[4] = 13;
  REQUIRE(sense_for(cut) == 0x51a00);
  auto unknown = send_translate(0b000, 0b101, 0);
  unknown.data[0] = 0x41;
  REQUIRE(sense_for(unknown) == 0x52600);
  REQUIRE(sense_for(command({0x1c, 1, 0x41, 0, 64, 0}, 64)) == 0x52400);
  REQUIRE(sense_for(command({0x1d, 0x04, 0, 0, 0, 0})) == 0);  // self-test
}

TEST_CASE("RECEIVE DIAGNOSTIC without PCV repeats the last answer; page 00h lists the pages") {
  VirtualDevice device(test_drive());
  const auto page = translated(device, 0b000, 0b101, 33ull << 32);
  REQUIRE(run(device, command({0x1c, 0, 0, 0, 64, 0}, 64)).data == page);
  REQUIRE(run(device, command({0x1c, 0, 0, 0, 6, 0}, 64)).data ==
          Bytes(page.begin(), page.begin() + 6));
  REQUIRE(run(device, command({0x1c, 1, 0, 0, 64, 0}, 64)).data == Bytes{0, 0, 0, 2, 0, 0x40});
}

TEST_CASE("a translation takes the model's time, half for each of its commands") {
  VirtualDevice device(test_drive());
  REQUIRE(run(device, send_translate(0b000, 0b101, 0)).response_ns() == kMillisecond);
  REQUIRE(run(device, kReceive).response_ns() == kMillisecond);
}

TEST_CASE("a drive may have neither translation nor defect lists") {
  auto model = test_drive();
  model.firmware->address_translation = false;
  model.firmware->defect_list = false;
  VirtualDevice device(model);
  REQUIRE(sense_of(run(device, send_translate(0b000, 0b101, 0))) == 0x52600);
  REQUIRE(sense_of(run(device, kReceive)) == 0x52400);
  REQUIRE(sense_of(run(device, command({0x37, 0, 0x1d, 0, 0, 0, 0, 0, 255, 0}, 255))) == 0x52000);
}

TEST_CASE("READ DEFECT DATA: slips are the P list, remapped places the G list") {
  VirtualDevice device(test_drive());
  REQUIRE(defect_list(device, 0x15) == Bytes{0, 0x15, 0, 24,               //
                                             0, 0,    0, 1,  0, 0, 0, 10,  //
                                             0, 0,    5, 0,  0, 0, 0, 5,   //
                                             0, 0,    5, 0,  0, 0, 0, 6});
  REQUIRE(defect_list(device, 0x0d) == Bytes{0, 0x0d, 0, 8, 0, 0, 2, 2, 0, 0, 0, 3});
  REQUIRE(defect_list(device, 0x1d).size() == 4 + 32);
  REQUIRE(defect_list(device, 0x05) == Bytes{0, 0x05, 0, 0});
  // Cut by the allocation length, the header still tells the whole length.
  REQUIRE(defect_list(device, 0x1d, 10) == Bytes{0, 0x1d, 0, 32, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("READ DEFECT DATA counts bytes from the index, and excuses itself for other formats") {
  VirtualDevice device(test_drive());
  // Cylinder 0, head 1 begins at 0.1 revolutions: sector 10 at 0.6 of 20 * 512 bytes.
  const auto bytes = defect_list(device, 0x14);
  REQUIRE(bytes[1] == 0x14);
  REQUIRE(std::abs(int(scsi::get_be32(&bytes[8])) - 6144) <= 1);
  auto block_format = command({0x37, 0, 0x18, 0, 0, 0, 0, 1, 0, 0}, 256);
  const auto done = run(device, block_format);
  REQUIRE(sense_of(done) == 0x11c00);
  REQUIRE(done.data == defect_list(device, 0x1d));
  auto model = test_drive();
  model.firmware->scsi_level = "SPC-3";
  VirtualDevice newer(model);
  const auto twelve = run(newer, command({0xb7, 0x15, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, 256)).data;
  REQUIRE(Bytes(twelve.begin(), twelve.begin() + 8) == Bytes{0, 0x15, 0, 0, 0, 0, 0, 24});
  const auto ten = defect_list(device, 0x15);
  REQUIRE(Bytes(twelve.begin() + 8, twelve.end()) == Bytes(ten.begin() + 4, ten.end()));
}

TEST_CASE("spare space is no defect, wherever a format keeps it") {
  using engine::testing::head_first_zone;
  model::Layout layout;
  layout.zones = {head_first_zone(0, 60, 4, 20, 0.1, 0.3, 0.0),
                  head_first_zone(60, 40, 4, 16, 0.1, 0.3, 0.0)};
  const auto primary = [&](std::vector<model::Skip> skips) {
    layout.skips = std::move(skips);
    return find_defects(layout).primary;
  };
  using Slots = std::vector<std::uint64_t>;
  REQUIRE(primary({{0, 80, 1, 0}}).empty());                       // a reserved first cylinder
  REQUIRE(primary({{4790, 10, 1, 0}}).empty());                    // spares at the end of a zone
  REQUIRE(primary({{4720, 80, 1, 0}}).empty());                    // spare tracks there
  REQUIRE(primary({{78, 2, 1, 0}, {558, 2, 9, 480}}).empty());     // of groups of 6 cylinders
  REQUIRE(primary({{19, 1, 2, 20}, {55, 1, 1, 0}}) == Slots{55});  // of tracks; and a slip
  REQUIRE(primary({{77, 1, 1, 0}, {78, 2, 1, 0}}) == Slots{77});   // a slip beside a spare area
  REQUIRE(primary({{7, 1, 3, 331}}) == Slots{7, 338, 669});        // in step by chance only
  REQUIRE(primary({{3, 1, 12, 87}}).size() == 12);                 // a scratch
  REQUIRE(primary({{99, 1, 1, 0}}) == Slots{99});                  // the end of a track, alone
  REQUIRE(primary({{100, 20, 1, 0}}) == Slots{100});               // a slipped track
  REQUIRE(primary({{98, 4, 1, 0}}) == Slots{98, 99, 100, 101});    // across two tracks
}

TEST_CASE("every slot of a random layout is judged without a fault") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    const model::Layout layout = engine::testing::random_layout(random);
    const engine::LayoutMap map(layout);
    const DefectSlots found = find_defects(layout);
    REQUIRE(found.grown.size() == layout.remaps.size());
    for (const auto slot : found.grown) REQUIRE_FALSE(map.lbn_of_slot(slot));
    for (const auto slot : found.primary) {
      const auto holder = map.lbn_of_slot(slot);
      REQUIRE((!holder || map.is_remapped(*holder)));
    }
  }
}

namespace {

// Every block to its place and back, in all formats that are told; the places of one track differ.
void check_round_trip(VirtualDevice& device, std::uint8_t format) {
  for (std::uint64_t lbn = 0; lbn < 7297; lbn += 3) {
    const auto there = translated(device, 0b000, format, lbn << 32);
    REQUIRE(there.size() == 14);
    const auto back = translated(device, format, 0b000, scsi::get_be(&there[6], 8));
    REQUIRE(scsi::get_be32(&back[6]) == lbn);
  }
}

std::uint64_t place_of(VirtualDevice& device, std::uint64_t lbn, std::uint8_t format = 0b101) {
  return scsi::get_be(&translated(device, 0b000, format, lbn << 32)[6], 8);
}

}  // namespace

TEST_CASE("a drive offers the address formats that its firmware names, and refuses the others") {
  auto model = test_drive();
  model.firmware->address_formats = {"long block", "bytes from index"};
  VirtualDevice device(model);
  REQUIRE(sense_of(run(device, send_translate(0b000, 0b100, 0))) == 0x52600);
  REQUIRE(sense_of(run(device, send_translate(0b011, 0b101, 0))) == 0x52600);
  // Cylinder 0, head 1 begins at 0.1 revolutions of 20 * 512 bytes; block 25 is its sixth.
  const auto there = translated(device, 0b011, 0b100, 25);
  REQUIRE(there[5] == 0b100);
  REQUIRE(std::abs(int(scsi::get_be32(&there[10])) - (2 + 5) * 512) <= 1);
  const auto back = translated(device, 0b100, 0b011, scsi::get_be(&there[6], 8));
  REQUIRE(scsi::get_be(&back[6], 8) == 25);
  REQUIRE(sense_of(run(device, send_translate(0b100, 0b011, place(0, 1, 20 * 512)))) == 0x52600);
  model.firmware->address_formats = {"block", "bytes from index", "physical sector"};
  VirtualDevice both(model);
  check_round_trip(both, 0b100);
  REQUIRE(scsi::get_be(&translated(both, 0b100, 0b101, place(0, 1, 5 * 512))[6], 8) ==
          place(0, 1, 3));
}

TEST_CASE("a drive that translates one way only refuses to lead from places to blocks") {
  auto model = test_drive();
  model.firmware->translates_back = false;
  VirtualDevice device(model);
  REQUIRE(place_of(device, 20) == place(0, 1, 0));
  REQUIRE(sense_of(run(device, send_translate(0b101, 0b000, place(0, 1, 0)))) == 0x52600);
}

TEST_CASE("sectors numbered from the index wrap within their track") {
  auto model = test_drive();
  model.firmware->sector_numbers = "from index";
  VirtualDevice device(model);
  check_round_trip(device, 0b101);
  const auto& map = device.layout();
  for (std::uint64_t lbn = 0; lbn < 7297; ++lbn) {
    const auto slot = map.slot_of_lbn(lbn);
    const auto track = map.track_of_slot(slot);
    const auto number = static_cast<std::uint32_t>(place_of(device, lbn));
    REQUIRE(number < track.sectors);
    // Sector n begins from n up to n + 1 sectors behind the index.
    const double begins = engine::rev_from_angle(map.angle_of_slot(track, slot)) * track.sectors;
    REQUIRE(std::abs(begins - number - 0.5) < 0.501);
  }
  // The slip of cylinder 0, head 1, sector 10 lies two sectors further from the index.
  REQUIRE(defect_list(device, 0x15)[11] == 12);
}

TEST_CASE("slipped sectors may have no number") {
  auto model = test_drive();
  model.firmware->sector_numbers = "without slipped";
  VirtualDevice device(model);
  check_round_trip(device, 0b101);
  REQUIRE(place_of(device, 29) == place(0, 1, 9));
  REQUIRE(place_of(device, 30) == place(0, 1, 10));  // its slot is 11 of the track, one is slipped
  REQUIRE(sense_of(run(device, send_translate(0b101, 0b000, place(0, 1, 19)))) == 0x52600);
  REQUIRE(defect_list(device, 0x15)[11] == 10);
}

TEST_CASE("a translation that lies tells an even geometry, the same both ways") {
  auto model = test_drive();
  model.firmware->translates_truly = false;
  VirtualDevice device(model);
  check_round_trip(device, 0b101);
  // 7297 blocks on 100 cylinders of 4 heads: 19 sectors a track.
  for (const std::uint64_t lbn : {0, 18, 19, 200, 7296})
    REQUIRE(place_of(device, lbn) == place(static_cast<std::uint32_t>(lbn / 76),
                                           static_cast<std::uint32_t>(lbn / 19 % 4),
                                           static_cast<std::uint32_t>(lbn % 19)));
  REQUIRE(sense_of(run(device, send_translate(0b101, 0b000, place(0, 0, 19)))) == 0x52600);
  REQUIRE(defect_list(device, 0x1d).size() == 4);
  // The blocks are still where the layout has them.
  REQUIRE(device.layout().pbn_of_lbn(20) == engine::Pbn{0, 1, 0});
}

TEST_CASE(
    "defect lists come in the formats that the firmware names, of the defects that it knows") {
  auto model = test_drive();
  model.firmware->defect_formats = {"bytes from index"};
  model.firmware->primary_defects = std::vector<std::uint64_t>{405, 30, 999'999};
  VirtualDevice device(model);
  const auto asked = [&](std::uint8_t selection) {
    return run(device, command({0x37, 0, selection, 0, 0, 0, 0, 1, 0, 0}, 256));
  };
  REQUIRE(sense_of(asked(0x15)) == 0x11c00);
  REQUIRE(asked(0x15).data == asked(0x14).data);
  REQUIRE(sense_of(asked(0x14)) == 0);
  const auto list = asked(0x14).data;
  REQUIRE(list.size() == 4 + 16);
  REQUIRE(list[1] == 0x14);
  REQUIRE(std::abs(int(scsi::get_be32(&list[8])) - 6144) <= 1);
  REQUIRE(list[4 + 8 + 2] == 5);  // cylinder
}
