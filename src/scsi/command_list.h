// All rows of the command table, for those who tell people of it or hold it against something.
#pragma once

#include <span>

#include "scsi/command_table.h"

namespace platter::scsi {

std::span<const CommandEntry> command_table();

}  // namespace platter::scsi
