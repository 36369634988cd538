// The command set: what each command answers, and the sense of what it refuses.
#include <string>

#include "catch.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

model::DriveModel newer_drive() {
  auto model = test_drive();
  model.firmware->scsi_level = "SPC-3";
  return model;
}

std::string text(const Bytes& data, std::size_t from, std::size_t length) {
  return {data.begin() + static_cast<std::ptrdiff_t>(from),
          data.begin() + static_cast<std::ptrdiff_t>(from + length)};
}

// Which byte of the CDB (or, negative, of the parameter list) the sense data blame.
int field_of(const scsi::Completion& done) {
  if (done.sense.size() < 18 || !(done.sense[15] & 0x80)) return 999;
  const int byte = static_cast<int>(scsi::get_be16(&done.sense[16]));
  return done.sense[15] & 0x40 ? byte : -byte;
}

}  // namespace

TEST_CASE("INQUIRY: identity, level, truncation and residual") {
  VirtualDevice device(test_drive());
  const auto done = run(device, command({0x12, 0, 0, 0, 96, 0}, 96));
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.data.size() == 36);
  REQUIRE(done.residual == 60);
  REQUIRE(done.data[0] == 0);
  REQUIRE(done.data[2] == 2);
  REQUIRE(done.data[4] == 31);
  REQUIRE(text(done.data, 8, 8) == "ACME    ");
  REQUIRE(text(done.data, 16, 16) == "SMALL           ");
  REQUIRE(text(done.data, 32, 4) == "1.0 ");

  const auto cut = run(device, command({0x12, 0, 0, 0, 5, 0}, 96));
  REQUIRE(cut.data == Bytes(done.data.begin(), done.data.begin() + 5));
  REQUIRE(cut.residual == 91);
  const auto small_host = run(device, command({0x12, 0, 0, 0, 96, 0}, 8));
  REQUIRE(small_host.data.size() == 8);
  REQUIRE(small_host.residual == 0);

  REQUIRE(run(device, command({0x12, 0x20, 0, 0, 36, 0}, 36)).data[0] == 0x7f);  // LUN 1
  VirtualDevice newer(newer_drive());
  REQUIRE(run(newer, command({0x12, 0, 0, 0, 36, 0}, 36)).data[2] == 5);
}

TEST_CASE("INQUIRY refuses pages without EVPD, and pages that it does not have") {
  VirtualDevice device(test_drive());
  const auto page_without_evpd = run(device, command({0x12, 0, 0x80, 0, 36, 0}, 36));
  REQUIRE(sense_of(page_without_evpd) == 0x52400);
  REQUIRE(field_of(page_without_evpd) == 2);
  REQUIRE(page_without_evpd.residual == 36);
  REQUIRE(sense_for(device, command({0x12, 1, 0xb0, 0, 64, 0}, 64)) == 0x52400);
  REQUIRE(sense_for(device, command({0x12, 1, 0x99, 0, 64, 0}, 64)) == 0x52400);
  REQUIRE(sense_for(device, command({0x12, 2, 0, 0, 64, 0}, 64)) == 0x52400);
}

TEST_CASE("vital product data: what a drive of its age has") {
  VirtualDevice old(test_drive());
  VirtualDevice newer(newer_drive());
  const auto page = [](scsi::Device& device, std::uint8_t code) {
    return run(device, command({0x12, 1, code, 0, 252, 0}, 252)).data;
  };
  REQUIRE(page(old, 0x00) == Bytes{0, 0, 0, 3, 0x00, 0x80, 0x83});
  REQUIRE(page(newer, 0x00) == Bytes{0, 0, 0, 5, 0x00, 0x80, 0x83, 0xb0, 0xb1});
  REQUIRE(page(old, 0x80) == Bytes{0, 0x80, 0, 4, 'S', '1', '2', '3'});
  const auto id = page(old, 0x83);
  REQUIRE(id.size() == 4u + 4 + 8 + 16 + 4);
  REQUIRE(text(id, 8, 28) == "ACME    SMALL           S123");
  REQUIRE(page(newer, 0xb0).size() == 0x40);
  REQUIRE(scsi::get_be32(&page(newer, 0xb0)[8]) == 65535);
  REQUIRE(scsi::get_be16(&page(newer, 0xb1)[4]) == 6000);  // 10 ms a revolution
}

TEST_CASE("a unit attention at the start is told once, and to no one who need not know") {
  auto model = test_drive();
  model.imperfections.emplace().unit_attention_at_start = true;
  VirtualDevice device(model);
  REQUIRE(sense_for(device, command({0x12, 0, 0, 0, 36, 0}, 36)) == 0);
  REQUIRE(sense_for(device, command({0x00, 0, 0, 0, 0, 0})) == 0x62900);
  REQUIRE(sense_for(device, command({0x00, 0, 0, 0, 0, 0})) == 0);

  VirtualDevice asked(model);
  const auto sense = run(asked, command({0x03, 0, 0, 0, 18, 0}, 18));
  REQUIRE(sense_of(sense) == 0);
  REQUIRE(sense.data.size() == 18);
  REQUIRE(sense.data[2] == 6);
  REQUIRE(sense.data[12] == 0x29);
  REQUIRE(sense_for(asked, command({0x00, 0, 0, 0, 0, 0})) == 0);
  REQUIRE(run(asked, command({0x03, 0, 0, 0, 18, 0}, 18)).data[2] == 0);
  REQUIRE(run(asked, command({0x03, 0, 0, 0, 4, 0}, 18)).data.size() == 4);
}

TEST_CASE("opcodes that a drive of its age does not know") {
  VirtualDevice old(test_drive());
  VirtualDevice newer(newer_drive());
  const auto read_16 = command({0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, 512);
  const auto capacity_16 = command({0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0}, 32);
  const auto report_luns = command({0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0}, 64);
  REQUIRE(sense_for(old, read_16) == 0x52000);
  REQUIRE(sense_for(old, capacity_16) == 0x52000);
  REQUIRE(sense_for(old, report_luns) == 0x52000);
  REQUIRE(sense_for(newer, read_16) == 0);
  REQUIRE(run(newer, report_luns).data == Bytes{0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(run(newer, report_luns).residual == 48);
  const auto luns_cut = command({0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0}, 64);
  REQUIRE(sense_for(newer, luns_cut) == 0x52400);
  const auto capacity = run(newer, capacity_16);
  REQUIRE(capacity.data.size() == 32);
  REQUIRE(scsi::get_be(&capacity.data[0], 8) == 7296);
  REQUIRE(scsi::get_be32(&capacity.data[8]) == 512);
  for (const int opcode : {0x04, 0x07, 0x0b, 0x1b, 0x2e, 0x3b, 0x41, 0x48, 0x85, 0x93, 0xff}) {
    auto unknown = command({0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    unknown.cdb[0] = static_cast<std::uint8_t>(opcode);
    REQUIRE(sense_for(old, unknown) == 0x52000);
  }
}

TEST_CASE("reserved bits are refused, and named") {
  VirtualDevice old(test_drive());
  const auto reserved = run(old, command({0x00, 0, 0, 1, 0, 0}));
  REQUIRE(sense_of(reserved) == 0x52400);
  REQUIRE(field_of(reserved) == 3);
  REQUIRE(sense_for(old, command({0x00, 0, 0, 0, 0, 0x04})) == 0x52400);  // NACA
  REQUIRE(sense_for(old, command({0x00, 0, 0, 0, 0, 0xc0})) == 0);        // vendor's bits
  REQUIRE(sense_for(old, command({0x28, 0, 0, 0, 0, 0})) == 0x52400);     // ten bytes are due
  REQUIRE(sense_for(old, command({0x00, 0x20, 0, 0, 0, 0})) == 0x52500);  // LUN 1
  VirtualDevice newer(newer_drive());
  REQUIRE(sense_for(newer, command({0x00, 0x20, 0, 0, 0, 0})) == 0x52400);
  REQUIRE(sense_for(newer, command({0x28, 0x20, 0, 0, 0, 0, 0, 0, 1, 0}, 512)) == 0x52400);
}

TEST_CASE("READ CAPACITY(10), and where a delay is met") {
  VirtualDevice device(test_drive());
  REQUIRE(run(device, command({0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 8)).data ==
          Bytes{0, 0, 0x1c, 0x80, 0, 0, 2, 0});
  // Cylinder 0 holds LBNs 0 to 77: 80 slots, one slipped, one spare.
  REQUIRE(run(device, command({0x25, 0, 0, 0, 0, 5, 0, 0, 1, 0}, 8)).data[3] == 77);
  REQUIRE(run(device, command({0x25, 0, 0, 0, 0, 78, 0, 0, 1, 0}, 8)).data[3] == 156);
  REQUIRE(run(device, command({0x25, 0, 0, 0, 0x1c, 0x80, 0, 0, 1, 0}, 8)).data[3] == 0x80);
  REQUIRE(sense_for(device, command({0x25, 0, 0, 0, 0, 5, 0, 0, 0, 0}, 8)) == 0x52400);
  REQUIRE(sense_for(device, command({0x25, 0, 0, 0, 0x1c, 0x81, 0, 0, 1, 0}, 8)) == 0x52100);
}

TEST_CASE("what is written is read back, by every form of the commands") {
  VirtualDevice device(newer_drive());
  Bytes sectors(3 * 512);
  for (std::size_t i = 0; i < sectors.size(); ++i) sectors[i] = static_cast<std::uint8_t>(i * 7);
  REQUIRE(sense_for(device, command_with({0x0a, 0, 1, 0, 3, 0}, sectors)) == 0);
  const auto six = run(device, command({0x08, 0, 1, 0, 3, 0}, 3 * 512));
  REQUIRE(six.data == sectors);
  REQUIRE(six.residual == 0);
  REQUIRE(run(device, read_10(256, 3)).data == sectors);
  REQUIRE(run(device, command({0x88, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0}, 3 * 512)).data ==
          sectors);
  const auto partly = run(device, read_10(257, 3)).data;
  REQUIRE(Bytes(partly.begin(), partly.begin() + 1024) ==
          Bytes(sectors.begin() + 512, sectors.end()));
  REQUIRE(partly[1024 + 6] == 1);  // LBN 259, never written, tells its own number
  REQUIRE(partly[1024 + 7] == 3);
  const Bytes other(512, 0x5a);
  REQUIRE(sense_for(device, write_10(257, other)) == 0);
  REQUIRE(run(device, read_10(257, 1)).data == other);
  auto sixteen = command_with({0x8a, 8, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0}, Bytes(512, 9));
  const auto done = run(device, sixteen);
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.residual == 0);
  REQUIRE(run(device, read_10(258, 1)).data == Bytes(512, 9));
}

TEST_CASE("READ(6) of 0 blocks means 256; of (10) it moves nothing") {
  VirtualDevice device(test_drive());
  REQUIRE(run(device, command({0x08, 0, 0, 0, 0, 0}, 300 * 512)).data.size() == 256 * 512);
  const auto none = run(device, read_10(100, 0));
  REQUIRE(sense_of(none) == 0);
  REQUIRE(none.data.empty());
  REQUIRE(sense_for(device, read_10(7297, 0)) == 0);
  REQUIRE(sense_for(device, read_10(7298, 0)) == 0x52100);
}

TEST_CASE("LBNs beyond the last are refused, and the first of them is named") {
  VirtualDevice device(test_drive());
  REQUIRE(sense_for(device, read_10(7296, 1)) == 0);
  const auto across = run(device, read_10(7290, 20));
  REQUIRE(sense_of(across) == 0x52100);
  REQUIRE(scsi::decode_sense(across.sense)->information == 7297);
  REQUIRE(across.data.empty());
  REQUIRE(across.residual == 20 * 512);
  REQUIRE(scsi::decode_sense(run(device, read_10(9000, 1)).sense)->information == 9000);
  REQUIRE(sense_for(device, write_10(7296, Bytes(1024))) == 0x52100);
  REQUIRE(sense_for(device, command({0x2b, 0, 0, 0, 0x1c, 0x81, 0, 0, 0, 0})) == 0x52100);
  REQUIRE(sense_for(device, command({0x35, 0, 0, 0, 0x1c, 0x80, 0, 0, 2, 0})) == 0x52100);
}

TEST_CASE("a write that the host does not feed, and a read that it feeds, are aborted") {
  VirtualDevice device(test_drive());
  auto starved = write_10(10, Bytes(1024, 0xff));
  starved.cdb[8] = 3;
  REQUIRE(sense_for(device, starved) == 0xb4b00);
  REQUIRE(run(device, read_10(10, 1)).data[9] == 0);
  auto fed = read_10(10, 1);
  fed.direction = scsi::Direction::to_device;
  fed.data.resize(512);
  REQUIRE(sense_for(device, fed) == 0xb4b00);
  auto generous = write_10(10, Bytes(1024, 0xff));
  generous.cdb[8] = 1;
  const auto done = run(device, generous);
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.residual == 512);
}

TEST_CASE("a read that the host does not take whole ends well") {
  VirtualDevice device(test_drive());
  auto less = read_10(10, 4);
  less.transfer_length = 700;
  const auto done = run(device, less);
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.data.size() == 700);
  REQUIRE(done.residual == 0);
  auto more = read_10(10, 1);
  more.transfer_length = 2000;
  REQUIRE(run(device, more).residual == 2000 - 512);
}

TEST_CASE("a sector that cannot be read: what came before it, which one it is, and its retries") {
  auto model = test_drive();
  model.imperfections.emplace().medium_errors = {503, 501};
  VirtualDevice device(model);
  const auto done = run(device, read_10(499, 10));
  REQUIRE(sense_of(done) == 0x31100);
  REQUIRE(scsi::decode_sense(done.sense)->information == 501);
  REQUIRE(done.data.size() == 2 * 512);
  REQUIRE(done.residual == 8 * 512);
  REQUIRE(done.response_ns() > 8 * 10 * kMillisecond);  // eight retries of 10 ms
  REQUIRE(sense_for(device, read_10(501, 1)) == 0x31100);
  REQUIRE(sense_for(device, read_10(502, 1)) == 0);
  REQUIRE(sense_for(device, write_10(501, Bytes(512))) == 0);
}

TEST_CASE("SEEK(10) can be missing") {
  auto model = test_drive();
  model.firmware->seek_command = false;
  VirtualDevice device(model);
  REQUIRE(sense_for(device, command({0x2b, 0, 0, 0, 0, 5, 0, 0, 0, 0})) == 0x52000);
}

TEST_CASE("FUA can be missing, of reads alone or of both") {
  for (const bool reads : {true, false})
    for (const bool writes : {true, false}) {
      CAPTURE(reads, writes);
      auto model = newer_drive();
      model.firmware->force_reads = reads;
      model.firmware->force_writes = writes;
      VirtualDevice device(model);
      auto read = read_10(5, 1), write = write_10(5, Bytes(512));
      CHECK(sense_for(device, read) == 0);
      CHECK(sense_for(device, write) == 0);
      read.cdb[1] = write.cdb[1] = 0x08;
      for (const auto& [forced, known] : {std::pair(read, reads), std::pair(write, writes)}) {
        const auto done = run(device, forced);
        CHECK(sense_of(done) == (known ? 0U : 0x52400U));
        if (!known) CHECK(field_of(done) == 1);
      }
      const auto pages = run(device, command({0x1a, 0, 0x08, 0, 255, 0}, 255)).data;
      CHECK((pages.at(2) & 0x10) == (reads && writes ? 0x10 : 0));  // DPOFUA
    }
}

TEST_CASE("the speed that is told may be the nominal one") {
  auto model = newer_drive();
  model.firmware->nominal_rpm = 7200;
  VirtualDevice device(model);
  const auto page = run(device, command({0x12, 1, 0xb1, 0, 255, 0}, 255)).data;
  CHECK(scsi::get_be16(&page.at(4)) == 7200);  // and it turns in 10 ms
}
