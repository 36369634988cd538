#include "cli/trace_options.h"

namespace platter::cli {

trace::Reading TraceOptions::reading() const {
  return {.format = trace::format_of(format), .device = device};
}

void add_trace_options(CLI::App& command, TraceOptions& options, const char* format_option) {
  command.add_option("TRACE", options.path, "a trace file (docs/traces.md lists the formats)")
      ->required();
  command.add_option(format_option, options.format, "of the trace (else: detected)")
      ->check(CLI::IsMember(trace::format_names()));
  command.add_option("--device-number", options.device, "only this device's requests");
}

}  // namespace platter::cli
