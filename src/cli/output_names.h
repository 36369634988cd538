// Options that name an output.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "jobs/output_names.h"

namespace platter::cli {

using jobs::Written;

// Refuses names of an option that promise something else, with status 2; "-" for a folder, and for
// what grows with a run: samples and logs.
CLI::Validator named_for(Written written);

// Text for people and programs on standard output, or, where the output goes there, on standard
// error.
void print_beside(const std::string& output, std::string_view text);

}  // namespace platter::cli
