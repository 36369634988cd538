// The subcommands. Each lives in a file of its own name and adds itself to the command line; its
// callback runs after parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/progress.h"
#include "jobs/outputs.h"
#include "jobs/quiet_host.h"
#include "jobs/registry_folder.h"
#include "model/error.h"

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

// Options that several subcommands have, each declared once; and the JSON documents that they
// print.

// --force
void add_force(CLI::App& command, jobs::Outputs& outputs);
// --json
constexpr const char* kAsJson = "write it as JSON to stdout";
CLI::Option* add_json(CLI::App& command, bool& json, const char* text = "for programs");
// --progress plain|json|none
void add_progress_option(CLI::App& command, ProgressKind& kind);
// --not-in-use, of the subcommands that change something.
void add_not_in_use_option(CLI::App& command, std::vector<std::string>& not_in_use);
// --quiet-host, of those that time a drive's commands.
void add_quiet_host_option(CLI::App& command, jobs::QuietHostOption& option);
// --registry
void add_registry_option(CLI::App& verb, jobs::RegistryFolder& folder);

// On standard output: a job's result, and the document of a schema.
void print_text(std::string_view text);
void print_json(const std::string& schema, const nlohmann::ordered_json& members);
// The document of a failure.
nlohmann::ordered_json error_document(ExitStatus status, const std::string& sentence);

// Options that name an output.
using jobs::Written;

// Refuses names of an option that promise something else, with status 2; "-" for a folder, and for
// what grows with a run: samples and logs.
CLI::Validator named_for(Written written);

// Text for people and programs on standard output, or, where the output goes there, on standard
// error.
void print_beside(const std::string& output, std::string_view text);

}  // namespace platter::cli
