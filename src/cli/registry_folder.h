// Which registry a verb works on, and what all verbs of `platter registry` print alike.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "registry/store.h"

namespace platter::cli {

struct RegistryFolder {
  std::string named;

  registry::Store store() const {
    return registry::Store(named.empty() ? registry::default_folder() : named);
  }
  void add_to(CLI::App& verb) {
    verb.add_option("--registry", named,
                    "the registry's folder (else $XDG_DATA_HOME/platter/registry)")
        ->check([](const std::string& given) {
          return std::string(given.empty() ? "names no folder; name one, or leave it out" : "");
        });
  }
};

// The document of this schema on standard output. Called as cli::print_json: other files of this
// room have a print_json of their own.
void print_json(const std::string& schema, const nlohmann::ordered_json& members);
std::string json_text_of(const std::string& schema, const nlohmann::ordered_json& members);

// A notice on standard error.
void say(const std::string& sentence);

// `pull REMOTE/NAME.vN`: fetched from the remote and entered into the folder, where it has the
// returned reference. Says so, and whose signatures it bears, on standard error.
std::string fetch_from_remote(const registry::Store& store, const std::string& reference,
                              bool require_signature);

}  // namespace platter::cli
