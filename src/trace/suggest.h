// What a trace of no known format may be: columns guessed from its header or its first lines, and
// tried on them.
#pragma once

#include <string>
#include <string_view>

#include "trace/input.h"

namespace platter::trace {

// "; perhaps it is read by: platter trace lint FILE --csv-columns time:s,op,..."; empty: no guess
// fits. The bytes stay to be read.
std::string suggestion(Input& input);

// As a shell takes it for one word.
std::string in_shell(std::string_view text);

}  // namespace platter::trace
