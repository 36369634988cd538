#include "scsi/commands.h"

#include "catch.h"
#include "scsi/command_table.h"

namespace platter::scsi {
namespace {

using Cdb = std::vector<std::uint8_t>;

Cdb cdb(const Command& command) {
  return {command.cdb.begin(), command.cdb.begin() + command.cdb_length};
}

// CDBs as the standards draw them, byte by byte.
TEST_CASE("reads and writes of all lengths") {
  CHECK(cdb(read_6(0x123456, 16, 512)) == Cdb{0x08, 0x12, 0x34, 0x56, 16, 0});
  CHECK(cdb(read_6(0, 256, 512))[4] == 0);
  CHECK(read_6(0, 256, 512).transfer_length == 256 * 512);
  CHECK(cdb(read_10(0x01020304, 0x0506, 512, {true, true})) ==
        Cdb{0x28, 0x18, 1, 2, 3, 4, 0, 5, 6, 0});
  CHECK(cdb(read_16(0x0102030405060708, 0x0A0B, 512, {.force_unit_access = true})) ==
        Cdb{0x88, 0x08, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x0A, 0x0B, 0, 0});
  const Cdb data(1024, 7);
  const auto write = write_10(9, 2, data, {.disable_page_out = true});
  CHECK(cdb(write) == Cdb{0x2A, 0x10, 0, 0, 0, 9, 0, 0, 2, 0});
  CHECK(write.direction == Direction::to_device);
  CHECK(write.transfer_length == 1024);
  CHECK(write.data == data);
  CHECK(cdb(write_6(9, 2, data)) == Cdb{0x0A, 0, 0, 9, 2, 0});
  CHECK(cdb(write_16(9, 2, data)) == Cdb{0x8A, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0});
  CHECK(cdb(seek_10(0x01020304)) == Cdb{0x2B, 0, 1, 2, 3, 4, 0, 0, 0, 0});
}

TEST_CASE("what does not fit a form is not cut off") {
  CHECK_THROWS_AS(read_6(1 << 21, 1, 512), std::out_of_range);
  CHECK_THROWS_AS(read_6(0, 257, 512), std::out_of_range);
  CHECK_THROWS_AS(read_10(std::uint64_t{1} << 32, 1, 512), std::out_of_range);
  CHECK_THROWS_AS(read_10(0, 65536, 512), std::out_of_range);
  CHECK_THROWS_AS(read_10(0, 0, 512), std::out_of_range);
  CHECK_THROWS_AS(read_16(0, 0xFFFFFFFF, 512), std::out_of_range);
  CHECK_THROWS_AS(seek_10(std::uint64_t{1} << 32), std::out_of_range);
}

TEST_CASE("the ten-byte form up to its last block and 65,535 blocks, then the longer one") {
  constexpr auto kLast = std::uint64_t{0xFFFFFFFF};
  CHECK(shortest_read(kLast, 1, 512).cdb_length == 10);
  CHECK(shortest_read(kLast, 2, 512).cdb_length == 16);
  CHECK(shortest_read(0, 0xFFFF, 512).cdb_length == 10);
  CHECK(shortest_read(0, 0x10000, 512).cdb_length == 16);
  CHECK(shortest_read(~std::uint64_t{0}, 1, 512).cdb_length == 16);
  CHECK(shortest_write(kLast + 1, 2, Cdb(1024, 7)).cdb_length == 16);
  CHECK(shortest_verify(kLast, 1).cdb_length == 10);
  CHECK(shortest_verify(kLast + 1, 1).cdb_length == 16);
}

TEST_CASE("mode commands") {
  CHECK(cdb(mode_sense(ModeForm::six, 0x08, PageControl::changeable)) ==
        Cdb{0x1A, 0, 0x48, 0, 192, 0});
  CHECK(cdb(mode_sense(ModeForm::ten, 0x08, PageControl::saved, true)) ==
        Cdb{0x5A, 0x08, 0xC8, 0, 0, 0, 0, 2, 0, 0});
  const auto six = mode_select(ModeForm::six, Cdb{0x88, 2, 5, 6});
  CHECK(cdb(six) == Cdb{0x15, 0x10, 0, 0, 8, 0});
  CHECK(six.data == Cdb{0, 0, 0, 0, 0x08, 2, 5, 6});
  const auto ten = mode_select(ModeForm::ten, Cdb{0x88, 2, 5, 6});
  CHECK(cdb(ten) == Cdb{0x55, 0x10, 0, 0, 0, 0, 0, 0, 12, 0});
  CHECK(ten.data == Cdb{0, 0, 0, 0, 0, 0, 0, 0, 0x08, 2, 5, 6});
}

TEST_CASE("address translation") {
  using enum AddressFormat;
  const auto short_form = translate_block(0x01020304, AddressFormat::block, physical_sector);
  CHECK(cdb(short_form) == Cdb{0x1D, 0x10, 0, 0, 14, 0});
  CHECK(short_form.data == Cdb{0x40, 0, 0, 10, 0, 5, 1, 2, 3, 4, 0, 0, 0, 0});
  CHECK(translate_block(std::uint64_t{1} << 32, long_block, bytes_from_index).data ==
        Cdb{0x40, 0, 0, 10, 3, 4, 0, 0, 0, 1, 0, 0, 0, 0});
  CHECK_THROWS_AS(translate_block(std::uint64_t{1} << 32, AddressFormat::block, physical_sector),
                  std::out_of_range);
  CHECK(translate_place({0x010203, 4, 0x05060708}, physical_sector, AddressFormat::block).data ==
        Cdb{0x40, 0, 0, 10, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(translate_place({1, 2, 3}, bytes_from_index, long_block).data ==
        Cdb{0x40, 0, 0, 10, 4, 3, 0, 0, 1, 2, 0, 0, 0, 3});
}

TEST_CASE("the others") {
  CHECK(cdb(test_unit_ready()) == Cdb(6));
  CHECK(cdb(inquiry_vpd(0xB1, 64)) == Cdb{0x12, 1, 0xB1, 0, 64, 0});
  CHECK(cdb(read_capacity_16()) == Cdb{0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0});
  CHECK(cdb(get_physical_element_status(0x01020304, 0x05060708)) ==
        Cdb{0x9E, 0x17, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0});
  CHECK(cdb(read_defect_data_10(true, false, AddressFormat::physical_sector, 0x0102)) ==
        Cdb{0x37, 0, 0x15, 0, 0, 0, 0, 1, 2, 0});
  CHECK(cdb(read_defect_data_12(false, true, AddressFormat::bytes_from_index, 0x01020304)) ==
        Cdb{0xB7, 0x0C, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0});
  CHECK(cdb(report_luns(4096)) == Cdb{0xA0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0});
}

TEST_CASE("commands are known by name, and by the blocks that they name") {
  CHECK(command_name(read_10(0, 1, 512)) == "READ(10)");
  CHECK(command_name(read_capacity_16()) == "READ CAPACITY(16)");
  Command format;
  format.cdb[0] = 0x04;
  format.cdb_length = 6;
  CHECK(command_name(format) == "command 04h");
  CHECK(addressed_blocks(read_6(5, 256, 512))->blocks == 256);
  CHECK(addressed_blocks(read_16(std::uint64_t{5} << 40, 9, 512))->lbn == std::uint64_t{5} << 40);
  CHECK_FALSE(addressed_blocks(inquiry()));
  // Another address, in a longer form where the command's own has no room for it.
  const auto moved = [](Command command, std::uint64_t lbn) {
    put_address(command, lbn);
    return command;
  };
  const std::uint64_t far = std::uint64_t{5} << 32;
  for (const Command& read : {read_6(5, 256, 512), read_10(5, 256, 512), read_16(5, 256, 512)})
    for (const std::uint64_t lbn : {std::uint64_t{9}, std::uint64_t{0xFFFFFFFF}, far}) {
      const Command there = moved(read, lbn);
      CHECK(addressed_blocks(there)->lbn == lbn);
      CHECK(addressed_blocks(there)->blocks == 256);
      CHECK(there.cdb_length == (lbn == far || read.cdb_length == 16 ? 16 : 10));
      CHECK(find_command(there.cdb) != nullptr);
    }
  CHECK(moved(write_6(7, 1, std::vector<std::uint8_t>(512)), 9).opcode() == kWrite10);
}

}  // namespace
}  // namespace platter::scsi
