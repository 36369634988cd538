#include "scsi/command_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "scsi/ata.h"
#include "scsi/bytes.h"

namespace platter::scsi {
namespace {

using enum CommandClass;
using enum Direction;

constexpr std::uint8_t kAll = 0xFF;

constexpr CommandEntry kTable[] = {
    {"TEST UNIT READY", read, none, 6, {kTestUnitReady}, -1, -1, false},
    {"REQUEST SENSE", read, from_device, 6, {kRequestSense, 0, 0, 0, kAll}},
    {"READ(6)", read, from_device, 6, {kRead6, 0x1F, kAll, kAll, kAll}, -1, -1, false},
    {"WRITE(6)", write, to_device, 6, {kWrite6, 0x1F, kAll, kAll, kAll}, -1, -1, false},
    {"INQUIRY", read, from_device, 6, {kInquiry, 0x01, kAll, kAll, kAll}, -1, -1, false},
    {"MODE SELECT(6)", reversible_setting, to_device, 6, {kModeSelect6, 0x10, 0, 0, kAll}},
    {"MODE SENSE(6)", read, from_device, 6, {kModeSense6, 0x08, kAll, 0x01, kAll}},
    {"RECEIVE DIAGNOSTIC RESULTS",
     read,
     from_device,
     6,
     {kReceiveDiagnostic, 0x01, kAll, kAll, kAll}},
    {"SEND DIAGNOSTIC", read, to_device, 6, {kSendDiagnostic, 0x10, 0, kAll, kAll}},
    {"READ CAPACITY(10)", read, from_device, 10, {kReadCapacity10}, -1, -1, false},
    {"READ(10)",
     read,
     from_device,
     10,
     {kRead10, 0x18, kAll, kAll, kAll, kAll, 0, kAll, kAll},
     -1,
     -1,
     false},
    {"WRITE(10)",
     write,
     to_device,
     10,
     {kWrite10, 0x18, kAll, kAll, kAll, kAll, 0, kAll, kAll},
     -1,
     -1,
     false},
    {"SEEK(10)", read, none, 10, {kSeek10, 0, kAll, kAll, kAll, kAll}},
    // Never with BYTCHK: it has no data to compare, the drive only reads its medium.
    {"VERIFY(10)", read, none, 10, {kVerify10, 0, kAll, kAll, kAll, kAll, 0, kAll, kAll}},
    {"SYNCHRONIZE CACHE(10)",
     read,
     none,
     10,
     {kSynchronizeCache10, 0, kAll, kAll, kAll, kAll, 0, kAll, kAll}},
    {"READ DEFECT DATA(10)",
     read,
     from_device,
     10,
     {kReadDefectData10, 0, 0x1F, 0, 0, 0, 0, kAll, kAll}},
    {"MODE SELECT(10)",
     reversible_setting,
     to_device,
     10,
     {kModeSelect10, 0x10, 0, 0, 0, 0, 0, kAll, kAll}},
    {"MODE SENSE(10)",
     read,
     from_device,
     10,
     {kModeSense10, 0x08, kAll, 0x01, 0, 0, 0, kAll, kAll}},
    {"READ(16)",
     read,
     from_device,
     16,
     {kRead16, 0x18, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll},
     -1,
     -1,
     false},
    {"WRITE(16)",
     write,
     to_device,
     16,
     {kWrite16, 0x18, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll},
     -1,
     -1,
     false},
    {"VERIFY(16)",
     read,
     none,
     16,
     {kVerify16, 0, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll}},
    {"READ CAPACITY(16)",
     read,
     from_device,
     16,
     {kServiceActionIn16, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, kAll, kAll, kAll, kAll},
     0x10},
    {"GET LBA STATUS",
     read,
     from_device,
     16,
     {kServiceActionIn16, 0x12, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll,
      kAll},
     0x12},
    {"REPORT ZONES",
     read,
     from_device,
     16,
     {kZbcIn, 0, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, 0x80},
     0},
    {"GET PHYSICAL ELEMENT STATUS",
     read,
     from_device,
     16,
     {kServiceActionIn16, 0x17, 0, 0, 0, 0, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll},
     0x17},
    {"ATA PASS-THROUGH(16) of IDENTIFY DEVICE",
     read,
     from_device,
     16,
     {kAtaPassThrough16, 0x08, 0x0E, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0, kIdentifyDevice},
     -1,
     kIdentifyDevice},
    {"ATA PASS-THROUGH(12) of IDENTIFY DEVICE",
     read,
     from_device,
     12,
     {kAtaPassThrough12, 0x08, 0x0E, 0, 0x01, 0, 0, 0, 0, kIdentifyDevice},
     -1,
     kIdentifyDevice},
    {"ATA PASS-THROUGH(16) of CHECK POWER MODE",
     read,
     none,
     16,
     {kAtaPassThrough16, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kCheckPowerMode},
     -1,
     kCheckPowerMode},
    {"ATA PASS-THROUGH(12) of CHECK POWER MODE",
     read,
     none,
     12,
     {kAtaPassThrough12, 0x06, 0x20, 0, 0, 0, 0, 0, 0, kCheckPowerMode},
     -1,
     kCheckPowerMode},
    {"ATA PASS-THROUGH(16) of SET FEATURES",
     reversible_setting,
     none,
     16,
     {kAtaPassThrough16, 0x06, 0, 0, kAll, 0, kAll, 0, 0, 0, 0, 0, 0, 0, kSetFeatures},
     -1,
     kSetFeatures},
    {"ATA PASS-THROUGH(12) of SET FEATURES",
     reversible_setting,
     none,
     12,
     {kAtaPassThrough12, 0x06, 0, kAll, kAll, 0, 0, 0, 0, kSetFeatures},
     -1,
     kSetFeatures},
    {"REPORT LUNS", read, from_device, 12, {kReportLuns, 0, kAll, 0, 0, 0, kAll, kAll, kAll, kAll}},
    {"READ DEFECT DATA(12)",
     read,
     from_device,
     12,
     {kReadDefectData12, 0x1F, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll}},
};

}  // namespace

std::span<const CommandEntry> command_table() { return kTable; }

const CommandEntry* find_command(std::span<const std::uint8_t> cdb) {
  if (cdb.size() < 6) return nullptr;
  const auto fits = [&](const CommandEntry& entry) {
    return entry.usage[0] == cdb[0] &&
           (entry.service_action < 0 || entry.service_action == (cdb[1] & 0x1F)) &&
           (entry.ata_command < 0 || entry.ata_command == ata_command_of(cdb));
  };
  const auto* row = std::find_if(std::begin(kTable), std::end(kTable), fits);
  return row == std::end(kTable) ? nullptr : row;
}

namespace {

bool asks_for_vpd_page(const Command& command) {
  return command.opcode() == kInquiry && (command.cdb[1] & 0x01);  // EVPD
}

bool asks_for_mode_page(const Command& command) {
  return command.opcode() == kModeSense6 || command.opcode() == kModeSense10;
}

}  // namespace

bool is_optional(const Command& command) {
  const auto* entry = find_command(command.cdb);
  return entry && (entry->optional || asks_for_vpd_page(command));
}

std::uint32_t subject_of(const Command& command) {
  const auto& cdb = command.cdb;
  const auto with = [&](unsigned a, unsigned b) { return cdb[0] | a << 8 | b << 16; };
  if (const auto ata = ata_command_of(cdb)) return with(*ata, 0);
  if (asks_for_mode_page(command) || asks_for_vpd_page(command)) return with(cdb[2], cdb[3]);
  switch (command.opcode()) {
    case kReadDefectData10:
      return with(cdb[2], 0);
    case kReadDefectData12:
    case kServiceActionIn16:
      return with(cdb[1], 0);
    default:
      return with(0, 0);
  }
}

std::string command_name(const Command& command) {
  const auto* entry = find_command(command.cdb);
  if (!entry) return fmt::format("command {:02X}h", command.opcode());
  if (asks_for_vpd_page(command)) return fmt::format("INQUIRY of VPD page {:02X}h", command.cdb[2]);
  if (asks_for_mode_page(command))
    return fmt::format("{} of page {:02X}h", entry->name, command.cdb[2] & 0x3F);
  return std::string(entry->name);
}

std::optional<AddressedBlocks> addressed_blocks(const Command& command) {
  const auto* cdb = command.cdb.data();
  switch (command.opcode()) {
    case kRead6:
    case kWrite6:  // 0 stands for 256 blocks
      return AddressedBlocks{get_be(cdb + 1, 3) & 0x1FFFFF, cdb[4] ? cdb[4] : std::uint64_t{256}};
    case kRead10:
    case kWrite10:
    case kVerify10:
      return AddressedBlocks{get_be32(cdb + 2), get_be16(cdb + 7)};
    case kRead16:
    case kWrite16:
    case kVerify16:
      return AddressedBlocks{get_be(cdb + 2, 8), get_be32(cdb + 10)};
    case kSeek10:
      return AddressedBlocks{get_be32(cdb + 2), 0};
    default:
      return std::nullopt;
  }
}

namespace {

// The same command in a longer form, without any flag: of 6 bytes there are none.
void take_form(Command& command, std::uint8_t opcode, std::uint8_t length, std::uint64_t blocks) {
  const std::uint8_t flags = command.cdb_length == 6 ? std::uint8_t{0} : command.cdb[1];
  command.cdb = {opcode, flags};
  command.cdb_length = length;
  put_be(&command.cdb[length == 16 ? 10 : 7], length == 16 ? 4 : 2, blocks);
}

}  // namespace

// Addresses of 6 bytes have 21 bits, those of 10 bytes 32.
void put_address(Command& command, std::uint64_t lbn) {
  const auto named = addressed_blocks(command);
  if (named && command.cdb_length == 6)
    take_form(command, command.opcode() == kRead6 ? kRead10 : kWrite10, 10, named->blocks);
  if (named && command.cdb_length == 10 && lbn > 0xFFFFFFFF && command.opcode() != kSeek10)
    take_form(command,
              command.opcode() == kRead10    ? kRead16
              : command.opcode() == kWrite10 ? kWrite16
                                             : kVerify16,
              16, named->blocks);
  put_be(&command.cdb[2], command.cdb_length == 16 ? 8 : 4, lbn);
}

}  // namespace platter::scsi
