// The text of examples/c/table_lookup.h, which the build puts into the program: every C header of a
// drive has it.
#pragma once

#include <string_view>

namespace platter::emit_table {

extern const std::string_view kLookupText;

}  // namespace platter::emit_table
