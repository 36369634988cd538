// LOG SENSE (SPC-4 clauses 6.8 and 7.3): the list of pages, temperature, start-stop cycles. No
// figure of a page can be set or saved.
#pragma once

#include <cstdint>

#include "scsi/device.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

struct LogFigures {
  std::uint32_t start_stop_cycles = 0;
};

Reply log_data(const LogFigures& figures, const scsi::Command& command);

}  // namespace platter::virtual_drive
