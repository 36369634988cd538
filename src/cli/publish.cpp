#include "registry/publish.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>

#include "cli/doubts.h"
#include "cli/registry_folder.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "extract/record_file.h"
#include "model/completeness.h"
#include "model/file.h"
#include "model/json.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/say.h"
#include "registry/privacy.h"
#include "replay/rotational_delay.h"

namespace platter::cli {
namespace {

void print_json(const registry::Publication& published, const std::string& folder) {
  nlohmann::ordered_json json = model::json_head("platter-publish");
  json["registry"] = folder;
  json["reference"] = published.reference;
  json["digest"] = published.digest;
  json["model_digest"] = published.model_digest;
  json["added"] = published.added;
  json["remarks"] = published.remarks;
  fmt::print("{}\n", model::json_text(json, model::JsonForm::indented));
}

std::optional<registry::RotationalDelay> delay_in(const std::string& samples,
                                                  const model::DriveModel& model) {
  std::istringstream in(model::read_file(samples));
  const extract::KeptRecord kept = extract::read_record(in, samples);
  const auto delay = replay::mean_rotational_delay(kept.record.facts.random, model);
  if (!delay) return {};
  return registry::RotationalDelay{delay->mean_ns, delay->error_ns, delay->accesses};
}

void tell(const registry::Publication& published) {
  for (const std::string& rule : published.remarks)
    model::say("platter: remarked on this model: {}\n", rule);
  if (!published.plain_before.empty()) {
    model::say(
        "platter: {} is this drive with its serial number; with the stand-in it is another "
        "drive of this registry, and --serial goes on there\n",
        published.plain_before);
  }
}

}  // namespace

void add_publish(CLI::App& app) {
  struct Options {
    std::string model, samples;
    RegistryFolder folder;
    registry::PublishOptions publish;
    bool serial = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("publish", "puts a model into a registry, for good");
  command->add_option("MODEL", options->model, "the model file")->required();
  command->add_option("FILES", options->publish.files,
                      "files to publish with it: the validation, plots, DiskSim files, the table");
  options->folder.add_to(*command);
  command->add_option("--samples", options->samples,
                      "the run's raw samples, to publish with it and to hold the model against");
  command->add_flag("--serial", options->serial,
                    "publish the drive's serial number, not a stand-in for it");
  command
      ->add_option("--force", options->publish.forced,
                   "publish in spite of this rule, and record that (may be given again)")
      ->expected(1)
      ->type_name("RULE");
  command->add_flag("--json", options->json, "write the reference and digests as JSON to stdout");
  command->callback([options] {
    const registry::Store store = options->folder.store();
    const model::DriveModel model = model::load_model(options->model);
    model::require_complete(model, options->model, "be published");
    tell_doubts(model);
    options->publish.hide_serial = !options->serial;
    options->publish.tables = {.check =
                                   [](const std::string& content, const std::string& path) {
                                     emit_table::read_table(std::as_bytes(std::span(content)),
                                                            path);
                                   },
                               .make = emit_table::compile_table};
    if (!options->samples.empty()) {
      options->publish.files.push_back(options->samples);
      options->publish.delay = delay_in(options->samples, model);
    }
    const auto published = registry::publish(store, options->model, options->publish);
    tell(published);
    if (const auto concern = registry::concern_about_key(store)) say(*concern);
    if (!options->samples.empty() && !options->publish.delay) {
      model::say(
          "platter: {} has too few requests at random with the caches off to tell the mean "
          "rotational delay by\n",
          options->samples);
    }
    if (options->json) return print_json(published, store.folder());
    fmt::print("{}\n{}\n", published.reference, published.digest);
    if (!published.added) model::say("platter: was published before; nothing is new\n");
  });
}

}  // namespace platter::cli
