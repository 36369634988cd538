#include "model/derive.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/subcommands.h"
#include "model/completeness.h"
#include "model/json.h"

namespace platter::cli {

void add_derive(CLI::App& app) {
  struct Options {
    std::string model, output, name;
    std::vector<std::string> changes;
    bool json = false;
    jobs::Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "derive", "a hypothetical drive: a model with changed figures, labelled as not validated");
  command->add_option("MODEL", options->model, "the model file to start from")->required();
  command
      ->add_option(
          "--set", options->changes,
          "a change, made in the given order: PATH=VALUE (with a unit if you like: 0.15ms), "
          "PATH=xFACTOR or PATH=/FACTOR; a PATH is one that platter show MODEL --json lists, "
          "rotation.rpm, identity.heads, seek.time_ms or seek.cylinders")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--name", options->name, "of the drive (else: hypothetical, and its name)");
  command->add_option("-o,--output", options->output, "the model file to write (else: to stdout)")
      ->check(named_for(Written::json));
  add_force(*command, options->outputs);
  add_json(*command, options->json, "write the model to stdout");
  command->callback([options] {
    std::vector<model::Change> changes;
    for (const std::string& text : options->changes) changes.push_back(model::parse_change(text));
    const model::DriveModel model = model::load_model(options->model);
    model::require_what_predicts(model, options->model, "be the source of another drive");
    const model::DriveModel derived = model::derive(
        model, std::filesystem::path(options->model).filename().string(), changes, options->name);
    if (!options->output.empty()) {
      options->outputs.may_update(options->output, jobs::content_of(derived));
      model::save_model(derived, options->output);
    }
    if (options->output.empty() ||
        (options->json && !jobs::goes_to_standard_output(options->output)))
      fmt::print("{}", model::to_json_text(derived));
  });
}

}  // namespace platter::cli
