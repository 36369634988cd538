// The arguments with which every subcommand that reads a trace names it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "trace/trace.h"

namespace platter::cli {

struct TraceOptions {
  std::string path, format;
  std::optional<std::uint32_t> device;

  trace::Reading reading() const;
  std::unique_ptr<trace::Reader> open() const { return trace::open_trace(path, reading()); }
  trace::Trace read() const { return trace::read_trace_file(path, reading()); }
};

// TRACE, `format_option` and --device-number.
void add_trace_options(CLI::App& command, TraceOptions& options,
                       const char* format_option = "--format");

}  // namespace platter::cli
