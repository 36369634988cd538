// REPORT SUPPORTED OPERATION CODES: a table of commands as the host is told of it (SPC-4
// clause 6.35).
#pragma once

#include <span>

#include "scsi/device.h"
#include "virtual_drive/command_shape.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

struct OfferedCommand {
  CommandShape shape;
  bool waits_for_medium = false;  // it may take as long as the medium needs
};

Reply supported_opcodes(std::span<const OfferedCommand> offered, const scsi::Command& command);

}  // namespace platter::virtual_drive
