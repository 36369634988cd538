// The arguments with which every subcommand that reads a trace names it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/fit.h"
#include "trace/trace.h"

namespace platter::cli {

struct TraceOptions {
  std::string path, format, device, think_times, time_unit, columns, line_regex;
  std::uint32_t block_bytes = 512, reorder = 0;
  bool round = false, queued = false;

  trace::Reading reading() const;
  std::unique_ptr<trace::Reader> open() const { return trace::open_trace(path, reading()); }
  std::unique_ptr<trace::Reader> open(std::uint32_t in_blocks_of) const;
  trace::Trace read() const { return trace::read_trace_file(path, reading()); }
};

// How a trace is read: `format_option`, --csv-columns, --line-regex, --device-number,
// --block-bytes,
// --round, --reorder, --think-times, --time-unit and --queued.
void add_reading_options(CLI::App& command, TraceOptions& options,
                         const char* format_option = "--format");
// The same, and TRACE.
void add_trace_options(CLI::App& command, TraceOptions& options,
                       const char* format_option = "--format");

// --fit, of the names that trace/fit.h tells of.
CLI::Option* add_fit_option(CLI::App& command, trace::Fit& fit);

// The trace of `options` in blocks of this size, made to fit a drive of so many.
trace::Fitted fitted_trace(const TraceOptions& options, std::uint32_t block_bytes, trace::Fit fit,
                           std::uint64_t blocks);

// Throws Error(usage) where the trace is to be fitted and can be read only once.
void require_read_again(const TraceOptions& options, trace::Fit fit);

// Tells what was passed over in the trace of that name, and what its tracer says is missing.
void print_skipped(const trace::Reader& reader);
void print_skipped(const std::string& name, const std::vector<trace::Skipped>& skipped);

}  // namespace platter::cli
