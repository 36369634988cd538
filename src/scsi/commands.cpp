#include "scsi/commands.h"

#include <fmt/core.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "scsi/bytes.h"
#include "scsi/command_table.h"

namespace platter::scsi {
namespace {

bool fits_ten_bytes(std::uint64_t lbn, std::uint32_t blocks) {
  return blocks <= 0xFFFF && lbn < kTenByteBlocks && blocks <= kTenByteBlocks - lbn;
}

constexpr std::uint32_t kTranslationAllocation = 6 + 8 * 31;

Command plain(std::uint8_t opcode, std::uint8_t cdb_length) {
  Command command;
  command.cdb[0] = opcode;
  command.cdb_length = cdb_length;
  return command;
}

Command reading(std::uint8_t opcode, std::uint8_t cdb_length, std::uint32_t allocation) {
  Command command = plain(opcode, cdb_length);
  command.direction = Direction::from_device;
  command.transfer_length = allocation;
  return command;
}

void attach(Command& command, std::vector<std::uint8_t> data) {
  command.direction = Direction::to_device;
  command.transfer_length = static_cast<std::uint32_t>(data.size());
  command.data = std::move(data);
}

void require(bool fits, std::uint64_t lbn, std::uint32_t blocks) {
  if (!fits)
    throw std::out_of_range(
        fmt::format("{} blocks at LBN {} do not fit this form of the command", blocks, lbn));
}

void address_6(Command& command, std::uint32_t lbn, std::uint32_t blocks) {
  require(lbn < (1U << 21) && blocks >= 1 && blocks <= 256, lbn, blocks);
  put_be(&command.cdb[1], 3, lbn);
  command.cdb[4] = static_cast<std::uint8_t>(blocks);
}

std::uint8_t cache_bits(CacheBits bits) {
  return static_cast<std::uint8_t>((bits.disable_page_out ? 0x10 : 0) |
                                   (bits.force_unit_access ? 0x08 : 0));
}

void address_10(Command& command, std::uint64_t lbn, std::uint32_t blocks, CacheBits bits) {
  require(lbn < kTenByteBlocks && blocks >= 1 && blocks <= 0xFFFF, lbn, blocks);
  command.cdb[1] = cache_bits(bits);
  put_be(&command.cdb[2], 4, lbn);
  put_be(&command.cdb[7], 2, blocks);
}

void address_16(Command& command, std::uint64_t lbn, std::uint32_t blocks, CacheBits bits) {
  require(blocks >= 1, lbn, blocks);
  command.cdb[1] = cache_bits(bits);
  put_be(&command.cdb[2], 8, lbn);
  put_be(&command.cdb[10], 4, blocks);
}

std::uint32_t bytes_of(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes) {
  const auto bytes = std::uint64_t{blocks} * block_bytes;
  require(bytes <= std::numeric_limits<std::int32_t>::max(), lbn, blocks);
  return static_cast<std::uint32_t>(bytes);
}

// 8 bytes of address to translate between two formats.
Command translate(AddressFormat supplied, AddressFormat wanted,
                  std::span<const std::uint8_t, 8> address) {
  std::vector<std::uint8_t> page{
      0x40, 0, 0, 10, static_cast<std::uint8_t>(supplied), static_cast<std::uint8_t>(wanted)};
  page.insert(page.end(), address.begin(), address.end());
  Command command = plain(kSendDiagnostic, 6);
  command.cdb[1] = 0x10;  // PF
  put_be(&command.cdb[3], 2, page.size());
  attach(command, std::move(page));
  return command;
}

std::uint8_t defect_lists(bool primary, bool grown, AddressFormat format) {
  return static_cast<std::uint8_t>((primary ? 0x10 : 0) | (grown ? 0x08 : 0) |
                                   static_cast<std::uint8_t>(format));
}

}  // namespace

Command shortest_read(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                      CacheBits bits) {
  return fits_ten_bytes(lbn, blocks) ? read_10(lbn, blocks, block_bytes, bits)
                                     : read_16(lbn, blocks, block_bytes, bits);
}

Command shortest_write(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                       CacheBits bits) {
  return fits_ten_bytes(lbn, blocks) ? write_10(lbn, blocks, std::move(data), bits)
                                     : write_16(lbn, blocks, std::move(data), bits);
}

Command shortest_verify(std::uint64_t lbn, std::uint32_t blocks) {
  return fits_ten_bytes(lbn, blocks) ? verify_10(lbn, blocks) : verify_16(lbn, blocks);
}

Command test_unit_ready() { return plain(kTestUnitReady, 6); }

Command request_sense(std::uint8_t allocation) {
  Command command = reading(kRequestSense, 6, allocation);
  command.cdb[4] = allocation;
  return command;
}

Command inquiry(std::uint16_t allocation) {
  Command command = reading(kInquiry, 6, allocation);
  put_be(&command.cdb[3], 2, allocation);
  return command;
}

Command inquiry_vpd(std::uint8_t page, std::uint16_t allocation) {
  Command command = inquiry(allocation);
  command.cdb[1] = 0x01;  // EVPD
  command.cdb[2] = page;
  return command;
}

Command report_luns(std::uint32_t allocation) {
  Command command = reading(kReportLuns, 12, allocation);
  put_be(&command.cdb[6], 4, allocation);
  return command;
}

Command read_capacity_10() { return reading(kReadCapacity10, 10, 8); }

Command read_capacity_16() {
  Command command = reading(kServiceActionIn16, 16, 32);
  command.cdb[1] = 0x10;
  put_be(&command.cdb[10], 4, 32);
  return command;
}

Command get_lba_status(std::uint64_t lbn, std::uint32_t allocation) {
  Command command = reading(kServiceActionIn16, 16, allocation);
  command.cdb[1] = 0x12;
  put_be(&command.cdb[2], 8, lbn);
  put_be(&command.cdb[10], 4, allocation);
  return command;
}

Command get_physical_element_status(std::uint32_t first_element, std::uint32_t allocation) {
  Command command = reading(kServiceActionIn16, 16, allocation);
  command.cdb[1] = 0x17;
  put_be(&command.cdb[6], 4, first_element);
  put_be(&command.cdb[10], 4, allocation);
  return command;
}

Command report_zones(std::uint64_t lbn, std::uint32_t allocation) {
  constexpr std::uint8_t kPartial = 0x80;
  Command command = reading(kZbcIn, 16, allocation);
  put_be(&command.cdb[2], 8, lbn);
  put_be(&command.cdb[10], 4, allocation);
  command.cdb[14] = kPartial;
  return command;
}

Command read_6(std::uint32_t lbn, std::uint32_t blocks, std::uint32_t block_bytes) {
  Command command = reading(kRead6, 6, bytes_of(lbn, blocks, block_bytes));
  address_6(command, lbn, blocks);
  return command;
}

Command read_10(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                CacheBits bits) {
  Command command = reading(kRead10, 10, bytes_of(lbn, blocks, block_bytes));
  address_10(command, lbn, blocks, bits);
  return command;
}

Command read_16(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                CacheBits bits) {
  Command command = reading(kRead16, 16, bytes_of(lbn, blocks, block_bytes));
  address_16(command, lbn, blocks, bits);
  return command;
}

Command write_6(std::uint32_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data) {
  Command command = plain(kWrite6, 6);
  address_6(command, lbn, blocks);
  attach(command, std::move(data));
  return command;
}

Command write_10(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                 CacheBits bits) {
  Command command = plain(kWrite10, 10);
  address_10(command, lbn, blocks, bits);
  attach(command, std::move(data));
  return command;
}

Command write_16(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                 CacheBits bits) {
  Command command = plain(kWrite16, 16);
  address_16(command, lbn, blocks, bits);
  attach(command, std::move(data));
  return command;
}

Command seek_10(std::uint64_t lbn) {
  require(lbn < kTenByteBlocks, lbn, 0);
  Command command = plain(kSeek10, 10);
  put_be(&command.cdb[2], 4, lbn);
  return command;
}

Command verify_10(std::uint64_t lbn, std::uint32_t blocks) {
  Command command = plain(kVerify10, 10);
  address_10(command, lbn, blocks, {});
  return command;
}

Command verify_16(std::uint64_t lbn, std::uint32_t blocks) {
  Command command = plain(kVerify16, 16);
  address_16(command, lbn, blocks, {});
  return command;
}

Command synchronize_cache_10() {
  Command command = plain(kSynchronizeCache10, 10);
  command.timeout_ns = 180 * kSecond;
  return command;
}

Command mode_sense(ModeForm form, std::uint8_t page, PageControl control,
                   bool disable_block_descriptors, std::uint8_t subpage) {
  // 192 bytes: enough for any page with a block descriptor, and what all drives are known to take.
  Command command = form == ModeForm::six ? reading(kModeSense6, 6, 192)
                                          : reading(kModeSense10, 10, 512);
  command.cdb[1] = disable_block_descriptors ? 0x08 : 0;
  command.cdb[2] = static_cast<std::uint8_t>(static_cast<unsigned>(control) << 6 | (page & 0x3F));
  command.cdb[3] = subpage;
  if (form == ModeForm::six)
    command.cdb[4] = static_cast<std::uint8_t>(command.transfer_length);
  else
    put_be(&command.cdb[7], 2, command.transfer_length);
  return command;
}

Command mode_select(ModeForm form, std::span<const std::uint8_t> page) {
  std::vector<std::uint8_t> list(form == ModeForm::six ? 4 : 8);  // reserved in a MODE SELECT
  const auto start = list.size();
  list.insert(list.end(), page.begin(), page.end());
  if (list.size() > start) list[start] &= 0x7F;  // PS is reserved here
  require(list.size() <= 0xFF, 0, 0);
  Command command = form == ModeForm::six ? plain(kModeSelect6, 6) : plain(kModeSelect10, 10);
  command.cdb[1] = 0x10;  // PF = 1, SP = 0
  if (form == ModeForm::six)
    command.cdb[4] = static_cast<std::uint8_t>(list.size());
  else
    put_be(&command.cdb[7], 2, list.size());
  attach(command, std::move(list));
  return command;
}

Command translate_block(std::uint64_t lbn, AddressFormat block, AddressFormat place) {
  const bool is_short = block == AddressFormat::block;
  require(!is_short || lbn < kTenByteBlocks, lbn, 1);
  std::array<std::uint8_t, 8> address{};
  put_be(address.data(), is_short ? 4 : 8, lbn);
  return translate(block, place, address);
}

Command translate_place(const PhysicalAddress& place, AddressFormat from, AddressFormat to) {
  std::array<std::uint8_t, 8> address{};
  put_be(address.data(), 3, place.cylinder);
  put_be(address.data() + 3, 1, place.head);
  put_be(address.data() + 4, 4, place.sector);
  return translate(from, to, address);
}

Command receive_translation() {
  Command command = reading(kReceiveDiagnostic, 6, kTranslationAllocation);
  put_be(&command.cdb[3], 2, kTranslationAllocation);
  return command;
}

Command read_defect_data_10(bool primary, bool grown, AddressFormat format,
                            std::uint16_t allocation) {
  Command command = reading(kReadDefectData10, 10, allocation);
  command.cdb[2] = defect_lists(primary, grown, format);
  put_be(&command.cdb[7], 2, allocation);
  command.timeout_ns = 180 * kSecond;
  return command;
}

Command read_defect_data_12(bool primary, bool grown, AddressFormat format,
                            std::uint32_t allocation) {
  Command command = reading(kReadDefectData12, 12, allocation);
  command.cdb[1] = defect_lists(primary, grown, format);
  put_be(&command.cdb[6], 4, allocation);
  command.timeout_ns = 180 * kSecond;
  return command;
}

}  // namespace platter::scsi
