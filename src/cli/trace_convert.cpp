#include <memory>
#include <string>

#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "cli/trace_options.h"

namespace platter::cli {

void add_trace_convert(CLI::App& parent) {
  struct Options {
    TraceOptions trace;
    std::string to, output;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("convert", "a trace in another format");
  add_trace_options(*command, options->trace, "--from,--format");
  command->add_option("--to", options->to, "the format to write")
      ->required()
      ->check(CLI::IsMember(trace::format_names()));
  command->add_option("-o,--output", options->output, "the trace file to write")->required();
  options->outputs.add_force(*command);
  command->callback([options] {
    options->outputs.reads(options->trace.path);
    options->outputs.writes(options->output);
    const std::unique_ptr<trace::Reader> reader = options->trace.open();
    const std::unique_ptr<trace::Writer> writer = trace::create_trace(
        options->output, trace::format_of(options->to),
        {.block_bytes = options->trace.block_bytes});
    trace::copy(*reader, *writer);
    writer->finish();
    print_skipped(*reader);
  });
}

}  // namespace platter::cli
