#include "registry/publish.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/doubts.h"
#include "cli/subcommands.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/json_head.h"

namespace platter::cli {
namespace {

void print_json(const registry::Publication& published, const std::string& folder) {
  nlohmann::ordered_json json = model::json_head("platter-publish");
  json["registry"] = folder;
  json["reference"] = published.reference;
  json["digest"] = published.digest;
  json["model_digest"] = published.model_digest;
  json["added"] = published.added;
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void add_publish(CLI::App& app) {
  struct Options {
    std::string model, registry;
    registry::PublishOptions publish;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("publish", "puts a model into a registry, for good");
  command->add_option("MODEL", options->model, "the model file")->required();
  command->add_option("FILES", options->publish.files,
                      "files to publish with it: DiskSim files, the table, a report");
  command->add_option("--registry", options->registry,
                      "the registry's folder (else $XDG_DATA_HOME/platter/registry)");
  command->add_flag("--hide-serial", options->publish.hide_serial,
                    "publish a stand-in for the drive's serial number");
  command->add_flag("--json", options->json, "write the reference and digests as JSON to stdout");
  command->callback([options] {
    const registry::Store store(options->registry.empty() ? registry::default_folder()
                                                          : options->registry);
    const model::DriveModel model = model::load_model(options->model);
    model::require_complete(model, options->model, "be published");
    tell_doubts(model);
    const auto published = registry::publish(store, options->model, options->publish);
    if (options->json) return print_json(published, store.folder());
    fmt::print("{}\n{}\n", published.reference, published.digest);
    if (!published.added) fmt::print(stderr, "platter: was published before; nothing is new\n");
  });
}

}  // namespace platter::cli
