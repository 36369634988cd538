#include "cli/subcommands.h"

namespace platter::cli {

void add_emit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("emit", "a model in the form that another program reads");
  command->require_subcommand(1);
  add_emit_disksim(*command);
  add_emit_table(*command);
  add_emit_summary(*command);
  add_emit_86box(*command);
}

}  // namespace platter::cli
