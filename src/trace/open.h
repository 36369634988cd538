// The files of a trace, opened: found, decompressed, ready to be cut into records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/input.h"

namespace platter::trace {

// Of X.blktrace.0 those with X.blktrace.1 beside it, and of X, where there are only X.blktrace.N;
// else the file itself, whether it is there or not.
std::vector<std::string> files_of(const std::string& path);

// More than one for X.blktrace.0 with X.blktrace.1 beside it, and for X where there are only
// X.blktrace.N.
std::vector<Input> open_inputs(const std::string& path);
std::vector<Input> open_inputs(std::unique_ptr<ByteSource> bytes, const std::string& name);

}  // namespace platter::trace
