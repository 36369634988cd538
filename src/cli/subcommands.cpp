#include "cli/subcommands.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <map>

#include "model/json_text.h"
#include "model/say.h"

namespace platter::cli {

CLI::Validator named_for(Written written) {
  return CLI::Validator(
      [written](std::string& path) {
        if (path == "-" && !jobs::is_one_stream(written))
          return std::string(
              "-: is the standard output, which cannot take this; name a place, ./- if it is to be "
              "called so");
        const std::string why = jobs::why_not_named(path, written);
        return why.empty() ? why : fmt::format("{}: {}", path, why);
      },
      "");
}

void print_beside(const std::string& output, std::string_view text) {
  if (jobs::goes_to_standard_output(output))
    model::say("{}", text);
  else
    print_text(text);
}

void add_force(CLI::App& command, jobs::Outputs& outputs) {
  command.add_flag("--force", outputs.force, "replace files that platter would leave alone");
}

CLI::Option* add_json(CLI::App& command, bool& json, const char* text) {
  return command.add_flag("--json", json, text);
}

void add_progress_option(CLI::App& command, ProgressKind& kind) {
  const std::map<std::string, ProgressKind> kinds = {
      {"plain", ProgressKind::plain}, {"json", ProgressKind::json}, {"none", ProgressKind::none}};
  command
      .add_option_function<std::string>(
          "--progress", [&kind, kinds](const std::string& name) { kind = kinds.at(name); },
          "on standard error: lines for people, for programs, or none (else: a bar on a terminal)")
      ->check(CLI::IsMember({"plain", "json", "none"}));
}

void add_not_in_use_option(CLI::App& command, std::vector<std::string>& not_in_use) {
  command
      .add_option("--not-in-use", not_in_use,
                  "a DEVICE that Linux has no block device of is in no RAID, and nothing uses it "
                  "(repeatable)")
      ->allow_extra_args(false);
}

void add_quiet_host_option(CLI::App& command, jobs::QuietHostOption& option) {
  command.add_flag(
      "--quiet-host", option.wanted,
      "keep this host from disturbing times while the run lasts, as far as you may (root)");
  command.add_option("--host-root", option.root, "the tree of another host, for tests")->group("");
}

void add_registry_option(CLI::App& verb, jobs::RegistryFolder& folder) {
  verb.add_option("--registry", folder.named,
                  "the registry's folder (else $XDG_DATA_HOME/platter/registry)");
}

void print_text(std::string_view text) { fmt::print("{}", text); }

void print_json(const std::string& schema, const nlohmann::ordered_json& members) {
  print_text(model::json_document(schema, members));
}

nlohmann::ordered_json error_document(ExitStatus status, const std::string& sentence) {
  nlohmann::ordered_json document = model::json_head("platter-error");
  document.update({{"status", static_cast<int>(status)}, {"error", sentence}});
  return document;
}

}  // namespace platter::cli
