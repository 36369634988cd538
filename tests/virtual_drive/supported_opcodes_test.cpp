// REPORT SUPPORTED OPERATION CODES tells of the drive that answers: asked in all forms, and held
// against what each command does.
#include <map>
#include <optional>

#include "catch.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr std::uint8_t kAll = 0, kByOpcode = 1, kByAction = 2, kByEither = 3;

scsi::Completion report(scsi::Device& device, std::uint8_t options, std::uint8_t opcode = 0,
                        std::uint16_t action = 0) {
  auto ask = command({0xa3, 0x0c, options, opcode, 0, 0, 0, 0, 0x40, 0, 0, 0}, 0x4000);
  scsi::put_be(&ask.cdb[4], 2, action);
  return run(device, ask);
}

struct Told {
  std::uint8_t opcode;
  std::optional<std::uint16_t> action;
  std::uint16_t length;
};

std::vector<Told> all_commands(scsi::Device& device) {
  const Bytes data = report(device, kAll).data;
  REQUIRE(data.size() >= 4);
  REQUIRE(scsi::get_be32(&data[0]) == data.size() - 4);
  std::vector<Told> told;
  for (std::size_t at = 4; at + 8 <= data.size(); at += 8) {
    Told one{data[at], std::nullopt, scsi::get_be16(&data[at + 6])};
    if (data[at + 5] & 0x01) one.action = scsi::get_be16(&data[at + 2]);
    told.push_back(one);
  }
  return told;
}

Bytes usage_of(scsi::Device& device, const Told& told) {
  const auto done = report(device, told.action ? kByAction : kByOpcode, told.opcode,
                           told.action.value_or(0));
  REQUIRE(sense_of(done) == 0);
  REQUIRE(done.data.size() == 4u + told.length);
  CHECK((done.data[1] & 0x07) == 3);
  CHECK(scsi::get_be16(&done.data[2]) == told.length);
  return {done.data.begin() + 4, done.data.end()};
}

// Bits that the usage data do not have are refused, and blamed on their byte.
void check_reserved_bits(scsi::Device& device, const Told& told, const Bytes& usage) {
  CHECK(usage[0] == told.opcode);
  scsi::Command plain;
  plain.cdb_length = static_cast<std::uint8_t>(told.length);
  plain.cdb[0] = told.opcode;
  if (told.action) plain.cdb[1] = static_cast<std::uint8_t>(*told.action);
  CHECK(sense_of(run(device, plain)) != 0x52000);
  for (std::uint16_t byte = 1; byte < told.length; ++byte)
    for (int bit = 0; bit < 8; ++bit) {
      if (usage[byte] >> bit & 1) continue;
      if (told.action && byte == 1 && bit < 5) continue;  // that is another service action
      auto command = plain;
      command.cdb[byte] |= static_cast<std::uint8_t>(1 << bit);
      const auto done = run(device, command);
      CAPTURE(int{told.opcode}, byte, bit);
      CHECK(sense_of(done) == 0x52400);
      CHECK(scsi::get_be16(&done.sense[16]) == byte);
    }
}

}  // namespace

TEST_CASE("what is told of each command is what the drive does") {
  for (const char* level : {"SPC-3", "SPC-4"})
    for (const bool whole : {false, true}) {
      auto model = drive_of(level);
      model.firmware->seek_command = model.firmware->defect_list = whole;
      model.firmware->force_reads = model.firmware->force_writes = whole;
      if (whole) model.firmware->unwritten = {{400, 499}};
      VirtualDevice device(model);
      std::map<std::uint8_t, bool> told_of;
      for (const Told& told : all_commands(device)) {
        told_of[told.opcode] = true;
        check_reserved_bits(device, told, usage_of(device, told));
        run(device, command({0x1b, 0, 0, 0, 0x01, 0}));  // the plain START STOP UNIT stops it
      }
      CHECK(told_of.contains(0x2b) == whole);
      CHECK(told_of.contains(0x37) == whole);
      CHECK_FALSE(told_of.contains(0x85));
      for (int opcode = 0; opcode < 256; ++opcode) {
        if (told_of.contains(static_cast<std::uint8_t>(opcode))) continue;
        CAPTURE(opcode);
        scsi::Command unknown;
        unknown.cdb_length = 16;
        unknown.cdb[0] = static_cast<std::uint8_t>(opcode);
        CHECK(sense_of(run(device, unknown)) == 0x52000);
        const auto done = report(device, kByOpcode, static_cast<std::uint8_t>(opcode));
        CHECK(done.data == Bytes{0, 1, 0, 0});
      }
    }
}

TEST_CASE("commands are told of with a service action where they have one, else without") {
  VirtualDevice device(spc4_drive());
  CHECK(sense_of(report(device, kByOpcode, 0x9e)) == 0x52400);
  CHECK(sense_of(report(device, kByAction, 0x28)) == 0x52400);
  CHECK(report(device, kByAction, 0x9e, 0x10).data[4 + 1] == 0x10);
  CHECK(report(device, kByAction, 0x9e, 0x12).data == Bytes{0, 1, 0, 0});  // nothing is unwritten
  CHECK(report(device, kByEither, 0x9e, 0x10).data.size() == 4 + 16);
  CHECK(report(device, kByEither, 0x28, 0).data.size() == 4 + 10);
  CHECK(report(device, kByEither, 0x28, 1).data == Bytes{0, 1, 0, 0});
  CHECK(sense_of(report(device, 4)) == 0x52400);
  CHECK(sense_of(run(device, command({0xa3, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))) == 0x52000);
}

TEST_CASE("time-outs are told where they are asked for") {
  VirtualDevice device(spc4_drive());
  const std::size_t commands = all_commands(device).size();
  const Bytes all = report(device, 0x80 | kAll).data;
  REQUIRE(all.size() == 4 + commands * 20);
  for (std::size_t at = 4; at < all.size(); at += 20) {
    CHECK((all[at + 5] & 0x02) != 0);  // CTDP
    CHECK(scsi::get_be16(&all[at + 8]) == 10);
    CHECK(scsi::get_be32(&all[at + 16]) > 0);
  }
  const Bytes one = report(device, 0x80 | kByOpcode, 0x28).data;
  REQUIRE(one.size() == 4 + 10 + 12);
  CHECK(one[1] == 0x83);
  CHECK(scsi::get_be32(&one[4 + 10 + 8]) == 60);
}
