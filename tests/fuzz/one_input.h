// What is done with one input of a fuzzer, and with every seed in the ordinary tests: read in every
// way, linted, and if it can be read, written and read again.
#pragma once

#include <string>

#include "trace/format.h"

namespace platter::trace {

// Ends the program (abort) where a promise does not hold.
void try_input(const std::string& bytes, Format format);

}  // namespace platter::trace
