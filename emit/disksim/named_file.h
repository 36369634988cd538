// Files that a parameter names: where DiskSim's users keep them.
#pragma once

#include <string>

#include "emit/disksim/libparam.h"

namespace platter::emit_disksim {

// The path in `parameter`, sought beside the file that names it, then in `top_folder`. Throws
// Error(bad_input) where there is no such file; `what` says what it is ("the seek file").
std::string find_named_file(BlockReader& reader, const char* parameter, const char* what,
                            const std::string& top_folder);

}  // namespace platter::emit_disksim
