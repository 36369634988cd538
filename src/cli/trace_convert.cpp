#include <memory>
#include <sstream>
#include <string>

#include "cli/subcommands.h"
#include "cli/trace_options.h"
#include "model/file.h"

namespace platter::cli {

void add_trace_convert(CLI::App& parent) {
  struct Options {
    TraceOptions trace;
    std::string to, output;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("convert", "a trace in the other format");
  add_trace_options(*command, options->trace, "--from");
  command->add_option("--to", options->to, "the other format")
      ->required()
      ->check(CLI::IsMember(trace::format_names()));
  command->add_option("-o,--output", options->output, "the trace file to write")->required();
  command->callback([options] {
    std::ostringstream out;
    trace::write_trace(out, options->trace.read(), trace::format_of(options->to));
    model::write_file(options->output, out.str());
  });
}

}  // namespace platter::cli
