// The models of `platter emulate`, as the tables that an emulator opens.
#pragma once

#include <string>
#include <vector>

#include "emit/table/table.h"
#include "emulator/check/check_log.h"

namespace platter::cli {

struct EmulatedDrive {
  std::string path;   // as it was given
  std::string name;   // of its own among the drives
  std::string bytes;  // of the table; empty: `path` is one
  emit_table::Table table;
};

// Throws Error(bad_input) for what is no model, table or set of DiskSim files, and for a model that
// lacks what predicts a request.
std::vector<EmulatedDrive> emulated_drives(const std::vector<std::string>& paths);

std::vector<emulator::LoggedDrive> logged_drives(const std::vector<EmulatedDrive>& drives);

}  // namespace platter::cli
