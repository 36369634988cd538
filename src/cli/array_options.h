// The options of `replay` that make an array of models.
#pragma once

#include <CLI/CLI.hpp>

#include "jobs/array_options.h"

namespace platter::cli {

// --array, and what needs it: --stripe, --read-balance, --stripe-cache, --missing, --rebuild,
// --rebuild-window, --rebuild-least, --rebuild-most, --rebuild-tick, --merge, --device-queue,
// --phase-seed.
void add_array_options(CLI::App& command, jobs::ArrayOptions& options);

}  // namespace platter::cli
