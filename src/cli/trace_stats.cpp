#include "trace/statistics.h"

#include <memory>

#include <fmt/core.h>

#include "cli/subcommands.h"
#include "cli/trace_options.h"

namespace platter::cli {

void add_trace_stats(CLI::App& parent) {
  struct Options {
    TraceOptions trace;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("stats", "what a trace asks for");
  add_trace_options(*command, options->trace);
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] {
    const trace::Statistics statistics = trace::statistics_of(options->trace.read());
    fmt::print("{}", options->json ? trace::to_json(statistics) : trace::to_text(statistics));
  });
}

}  // namespace platter::cli
