// What the files of the subcommand `registry` share.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/json_head.h"
#include "registry/store.h"
#include "registry/trust/trusted_keys.h"

namespace platter::cli {

void add_registry_remote(CLI::App& registry);
void add_registry_trust(CLI::App& registry);

inline registry::Store registry_in(const std::string& folder) {
  return registry::Store(folder.empty() ? registry::default_folder() : folder);
}

inline void print_registry_json(const std::string& schema, const nlohmann::ordered_json& members) {
  nlohmann::ordered_json json = model::json_head(schema);
  json.update(members);
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// `pull REMOTE/NAME.vN`: fetched from the remote and entered into the folder, where it has the
// returned reference. Says so, and whose signatures it bears, on standard error.
std::string fetch_from_remote(const registry::Store& store, const std::string& reference,
                              bool require_signature);

}  // namespace platter::cli
