// The subcommands. Each lives in a file of its own name and adds itself to the command line; its
// callback runs after parsing.
#pragma once

#include <CLI/CLI.hpp>

namespace platter::cli {

void add_calibrate(CLI::App& app);
void add_characterize(CLI::App& app);
void add_compare(CLI::App& app);
void add_cosim(CLI::App& app);
void add_derive(CLI::App& app);
void add_devices(CLI::App& app);
void add_emit(CLI::App& app);
void add_emit_86box(CLI::App& emit);
void add_emit_disksim(CLI::App& emit);
void add_emit_summary(CLI::App& emit);
void add_emit_table(CLI::App& emit);
void add_emulate(CLI::App& app);
void add_estimate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_diff(CLI::App& app);
void add_fleet(CLI::App& app);
void add_import(CLI::App& app);
void add_layout(CLI::App& app);
void add_plot(CLI::App& app);
void add_publish(CLI::App& app);
void add_registry(CLI::App& app);
void add_registry_keep(CLI::App& registry);
void add_registry_match(CLI::App& registry);
void add_registry_remote(CLI::App& registry);
void add_registry_site(CLI::App& registry);
void add_registry_trust(CLI::App& registry);
void add_replay(CLI::App& app);
void add_report(CLI::App& app);
void add_restore(CLI::App& app);
void add_result(CLI::App& app);
void add_self(CLI::App& app);
void add_show(CLI::App& app);
void add_study(CLI::App& app);
void add_trace(CLI::App& app);
void add_trace_convert(CLI::App& trace);
void add_trace_generate(CLI::App& trace);
void add_trace_lint(CLI::App& trace);
void add_trace_stats(CLI::App& trace);
void add_truth(CLI::App& app);
void add_validate(CLI::App& app);

// Of a command line with a command of the user's behind `--`: keeps that command for its
// subcommand, and returns how many arguments are left.
int take_command(int argc, char** argv);

// Thrown where the program ends with the status of that command.
struct CommandEnded {
  int status;
};

}  // namespace platter::cli
