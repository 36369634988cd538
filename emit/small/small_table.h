// The small table: a table file of at most 4 KiB that states how far it is from its model.
#pragma once

#include <cstddef>
#include <string>

#include "model/drive_model.h"

namespace platter::emit_small {

constexpr std::size_t kMostBytes = 4096;

// Throws Error(bad_input) as emit_table::compile_table does, and Error(unsupported) for a drive
// that does not fit even so.
std::string compile_small_table(const model::DriveModel& model);

}  // namespace platter::emit_small
