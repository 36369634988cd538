#include "jobs/publish.h"

#include <fmt/core.h>

#include <memory>

#include "cli/several.h"
#include "cli/subcommands.h"
#include "model/json_text.h"
#include "registry/privacy.h"

namespace platter::cli {
namespace {

struct PublishArguments {
  std::vector<std::string> models;
  jobs::RegistryFolder folder;
  jobs::PublishRun run{.store = registry::Store(std::string())};
  bool serial = false, json = false;
};

std::string as_json(const registry::Publication& published, const std::string& folder) {
  return model::json_document("platter-publish", {{"registry", folder},
                                                  {"reference", published.reference},
                                                  {"digest", published.digest},
                                                  {"model_digest", published.model_digest},
                                                  {"added", published.added},
                                                  {"remarks", published.remarks}});
}

void publish(const PublishArguments& arguments) {
  jobs::PublishRun run = arguments.run;
  run.store = arguments.folder.store();
  run.publish.hide_serial = !arguments.serial;
  run = jobs::prepared_to_publish(std::move(run), arguments.models);
  for_each_of(arguments.models, arguments.json, Heading::none,
              [&](const std::string& path, const Print& print) {
                const auto published = jobs::publish_one(run, path);
                print(arguments.json
                          ? as_json(published, run.store.folder())
                          : fmt::format("{}\n{}\n", published.reference, published.digest));
              });
  if (const auto concern = registry::concern_about_key(run.store)) jobs::say(*concern);
}

}  // namespace

void add_publish(CLI::App& app) {
  auto arguments = std::make_shared<PublishArguments>();
  CLI::App* command = app.add_subcommand("publish", "puts models into a registry, for good");
  command->add_option("MODEL", arguments->models, "the model file, or several")->required();
  command
      ->add_option("--attach", arguments->run.attached,
                   "publish this file with it: a validation, plots, DiskSim files, the table "
                   "(repeatable)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command->add_flag("--attach-beside", arguments->run.beside,
                    "publish what lies beside each MODEL.json under its name, too: "
                    "MODEL.samples.jsonl, MODEL.ptab, MODEL.html and the like");
  add_registry_option(*command, arguments->folder);
  command
      ->add_option("--samples", arguments->run.samples,
                   "the run's raw samples, to publish with it and to hold the model against")
      ->type_name("FILE");
  command->add_flag("--serial", arguments->serial,
                    "publish the drive's serial number, not a stand-in for it");
  command
      ->add_option("--force", arguments->run.publish.forced,
                   "publish in spite of this rule, and record that (repeatable)")
      ->allow_extra_args(false)
      ->type_name("RULE");
  add_json(*command, arguments->json, "write the reference and digests as JSON to stdout");
  command->callback([arguments] { publish(*arguments); });
}

}  // namespace platter::cli
