// The one table of commands that platter can send. What is not in it cannot leave: there is no row
// for anything that formats, sanitizes, reassigns, loads microcode or stops the drive.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scsi/device.h"

namespace platter::scsi {

enum class CommandClass : std::uint8_t {
  read,                // changes nothing that outlives the command
  reversible_setting,  // MODE SELECT with SP = 0, SET FEATURES of what can be set back
  write,               // changes sectors
};

enum Opcode : std::uint8_t {
  kTestUnitReady = 0x00,
  kRequestSense = 0x03,
  kRead6 = 0x08,
  kWrite6 = 0x0A,
  kInquiry = 0x12,
  kModeSelect6 = 0x15,
  kModeSense6 = 0x1A,
  kReceiveDiagnostic = 0x1C,
  kSendDiagnostic = 0x1D,
  kReadCapacity10 = 0x25,
  kRead10 = 0x28,
  kWrite10 = 0x2A,
  kSeek10 = 0x2B,
  kVerify10 = 0x2F,
  kSynchronizeCache10 = 0x35,
  kReadDefectData10 = 0x37,
  kModeSelect10 = 0x55,
  kModeSense10 = 0x5A,
  kAtaPassThrough16 = 0x85,
  kRead16 = 0x88,
  kWrite16 = 0x8A,
  kVerify16 = 0x8F,
  kZbcIn = 0x95,
  kServiceActionIn16 = 0x9E,
  kReportLuns = 0xA0,
  kAtaPassThrough12 = 0xA1,
  kReadDefectData12 = 0xB7,
};

struct CommandEntry {
  std::string_view name;
  CommandClass command_class;
  Direction direction;
  std::uint8_t cdb_length;
  // CDB usage data as REPORT SUPPORTED OPERATION CODES has it (SPC-4): the opcode (and the
  // service action) itself, then a mask of the bits that platter may set. A bit outside is refused:
  // SP of MODE SELECT, the self-test bits of SEND DIAGNOSTIC, RELADR, LINK, WRPROTECT and so on.
  std::array<std::uint8_t, 16> usage;
  std::int8_t service_action = -1;  // byte 1, bits 4-0; -1: the opcode has none
  std::int16_t ata_command = -1;    // of ATA PASS-THROUGH; -1: it is none
  bool optional = true;  // a drive that lacks it, in whatever words it says so, is measured without
};

// The row of that CDB, by opcode, service action and ATA command; nullptr if there is none.
const CommandEntry* find_command(std::span<const std::uint8_t> cdb);

// Whether a drive may lack it: by its row, and every VPD page of INQUIRY.
bool is_optional(const Command& command);
// What of a command a drive may have or lack by itself: the opcode, and the page, the list, the
// service action or the ATA command that it asks for.
std::uint32_t subject_of(const Command& command);

// For sentences: "READ(10)", or "command 04h" for what is not in the table.
std::string command_name(const Command& command);

struct AddressedBlocks {
  std::uint64_t lbn = 0;
  std::uint64_t blocks = 0;
};

// Which blocks a READ, WRITE, VERIFY or SEEK CDB names (SBC-3); nullopt for other commands.
std::optional<AddressedBlocks> addressed_blocks(const Command& command);
// The same command of other blocks, from `lbn` on; in a longer form where its own has no room for
// that. A SEEK has none.
void put_address(Command& command, std::uint64_t lbn);

// All rows of the command table, for those who tell people of it or hold it against something.
std::span<const CommandEntry> command_table();

}  // namespace platter::scsi
