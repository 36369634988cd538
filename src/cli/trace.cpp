#include "cli/subcommands.h"

namespace platter::cli {

void add_trace(CLI::App& app) {
  CLI::App* command = app.add_subcommand("trace", "make, convert, check and describe traces");
  command->require_subcommand(1);
  add_trace_generate(*command);
  add_trace_convert(*command);
  add_trace_lint(*command);
  add_trace_stats(*command);
}

}  // namespace platter::cli
