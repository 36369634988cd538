// The arguments with which every subcommand that reads a trace names it.
#pragma once

#include <CLI/CLI.hpp>

#include "jobs/trace_options.h"

namespace platter::cli {

// How a trace is read: `format_option`, --csv-columns, --line-regex, --device-number,
// --block-bytes,
// --round, --reorder, --think-times, --time-unit and --queued.
void add_reading_options(CLI::App& command, jobs::TraceOptions& options,
                         const char* format_option = "--format");
// The same, and TRACE.
void add_trace_options(CLI::App& command, jobs::TraceOptions& options,
                       const char* format_option = "--format");

// --fit, of the names that trace/fit.h tells of.
CLI::Option* add_fit_option(CLI::App& command, trace::Fit& fit);

}  // namespace platter::cli
