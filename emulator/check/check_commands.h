// A log of SCSI commands against targets.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "emulator/check/check_log.h"
#include "emulator/check/log_reader.h"

namespace platter::emulator {

// `told`: what the log's head says of each drive. Throws Error(bad_input), json::exception.
CheckedLog check_commands(LogReader& log, const nlohmann::json& told,
                          const std::vector<LoggedDrive>& drives);

}  // namespace platter::emulator
