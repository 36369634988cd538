// The form of a command's CDB: which one it is, and the bits of it that the drive knows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace platter::virtual_drive {

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

}  // namespace platter::virtual_drive
