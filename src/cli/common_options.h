// Options that several subcommands have, each declared once; and the JSON documents that they
// print.
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

}  // namespace platter::cli
