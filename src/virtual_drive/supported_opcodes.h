// REPORT SUPPORTED OPERATION CODES: a table of commands as the host is told of it (SPC-4
// clause 6.35).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "scsi/device.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

// The form of a command's CDB: which one it is, and the bits of it that the drive knows.
constexpr std::uint8_t kServiceActionBits = 0x1f;  // of byte 1, where a command has one

struct CommandShape {
  std::optional<std::uint8_t> service_action;
  std::uint8_t length = 0;
  std::array<std::uint8_t, 16> usage{};  // byte 0: the opcode; a service action stands as it is

  constexpr std::uint8_t opcode() const { return usage[0]; }
};

// As the CDB's bytes come.
constexpr CommandShape command_shape(std::initializer_list<std::uint8_t> usage) {
  CommandShape shape;
  shape.length = static_cast<std::uint8_t>(usage.size());
  std::copy(usage.begin(), usage.end(), shape.usage.begin());
  return shape;
}

constexpr CommandShape with_service_action(CommandShape shape) {
  shape.service_action = shape.usage[1] & kServiceActionBits;
  return shape;
}

struct OfferedCommand {
  CommandShape shape;
  bool waits_for_medium = false;  // it may take as long as the medium needs
};

Reply supported_opcodes(std::span<const OfferedCommand> offered, const scsi::Command& command);

}  // namespace platter::virtual_drive
