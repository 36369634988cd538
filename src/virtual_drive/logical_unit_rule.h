// What the logical unit knows of a command before it looks into it (logical_unit_rules.cpp).
#pragma once

#include "virtual_drive/logical_unit.h"
#include "virtual_drive/supported_opcodes.h"

namespace platter::virtual_drive {

// `usage` of the shape: all bits outside of it must be 0. `access`: what the command does on the
// medium, for which the drive has to be ready. Drives from `since` to `until` offer it.
struct LogicalUnit::Rule {
  enum class Access : std::uint8_t { none, medium, write };

  CommandShape shape;
  ScsiLevel since;
  ScsiLevel until;
  Access access;
  Answer (LogicalUnit::*handler)(const scsi::Command&);
};

}  // namespace platter::virtual_drive
