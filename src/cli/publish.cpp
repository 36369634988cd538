#include "registry/publish.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/doubts.h"
#include "cli/registry_folder.h"
#include "cli/several.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "extract/record_file.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/say.h"
#include "model/text_file.h"
#include "registry/attachments.h"
#include "registry/privacy.h"
#include "replay/rotational_delay.h"

namespace platter::cli {
namespace {

struct PublishArguments {
  std::vector<std::string> models, attached;
  std::string samples;
  RegistryFolder folder;
  registry::PublishOptions publish;
  bool beside = false, serial = false, json = false;
};

std::string as_json(const registry::Publication& published, const std::string& folder) {
  nlohmann::ordered_json json = model::json_head("platter-publish");
  json["registry"] = folder;
  json["reference"] = published.reference;
  json["digest"] = published.digest;
  json["model_digest"] = published.model_digest;
  json["added"] = published.added;
  json["remarks"] = published.remarks;
  return model::json_text(json, model::JsonForm::indented) + "\n";
}

std::optional<registry::RotationalDelay> delay_in(const std::string& samples,
                                                  const model::DriveModel& model) {
  std::istringstream in(model::read_file(samples));
  const extract::KeptRecord kept = extract::read_record(in, samples);
  const auto delay = replay::mean_rotational_delay(kept.record.facts.random, model);
  if (!delay) return {};
  return registry::RotationalDelay{delay->mean_ns, delay->error_ns, delay->accesses};
}

void tell(const registry::Publication& published, const std::string& path) {
  for (const std::string& rule : published.remarks)
    model::say("platter: {}: remarked on this model: {}\n", path, rule);
  if (!published.plain_before.empty()) {
    model::say(
        "platter: {} is this drive with its serial number; with the stand-in it is another "
        "drive of this registry, and --serial goes on there\n",
        published.plain_before);
  }
  if (!published.added)
    model::say("platter: {} was published before; nothing is new\n", published.reference);
}

std::string serial_in(const std::string& table, const std::string& path) {
  return emit_table::read_table(std::as_bytes(std::span(table)), path).identity.serial;
}

// Of all models of the call. What cannot be read is said when its turn comes.
std::vector<std::string> serials_of(const std::vector<std::string>& models) {
  std::vector<std::string> serials;
  for (const std::string& path : models) try {
      const std::string serial =
          model::from_json_text(model::read_text(path), path).identity.serial;
      if (!registry::is_stand_in(serial)) serials.push_back(serial);
    } catch (const Error&) {
      continue;
    }
  return serials;
}

// The run's raw samples among the files, by which the model is held.
std::string samples_among(const std::vector<std::string>& files, const std::string& given) {
  if (!given.empty()) return given;
  const auto found = std::ranges::find_if(
      files, [](const std::string& file) { return file.ends_with(".samples.jsonl"); });
  return found == files.end() ? "" : *found;
}

registry::Publication publish_one(const PublishArguments& arguments, const registry::Store& store,
                                  const std::string& path) {
  const model::DriveModel model = model::load_model(path);
  model::require_complete(model, path, "be published");
  tell_doubts(model);
  registry::PublishOptions options = arguments.publish;
  options.files = arguments.attached;
  if (arguments.beside)
    for (std::string& file : registry::files_beside(path)) options.files.push_back(std::move(file));
  if (!arguments.samples.empty()) options.files.push_back(arguments.samples);
  const std::string samples = samples_among(options.files, arguments.samples);
  if (!samples.empty()) options.delay = delay_in(samples, model);
  const registry::Publication published = registry::publish(store, path, options);
  tell(published, path);
  if (!samples.empty() && !options.delay) {
    model::say(
        "platter: {} has too few requests at random with the caches off to tell the mean "
        "rotational delay by\n",
        samples);
  }
  return published;
}

void publish(PublishArguments arguments) {
  if (arguments.models.size() > 1 && !arguments.samples.empty())
    throw Error(
        ExitStatus::usage,
        "--samples names the samples of one model; --attach-beside publishes those of each");
  const registry::Store store = arguments.folder.store();
  arguments.publish.hide_serial = !arguments.serial;
  arguments.publish.other_serials = serials_of(arguments.models);
  arguments.publish.tables = {.serial_in = serial_in, .make = emit_table::compile_table};
  for_each_of(arguments.models, arguments.json, Heading::none,
              [&](const std::string& path, const Print& print) {
                const auto published = publish_one(arguments, store, path);
                print(arguments.json
                          ? as_json(published, store.folder())
                          : fmt::format("{}\n{}\n", published.reference, published.digest));
              });
  if (const auto concern = registry::concern_about_key(store)) say(*concern);
}

}  // namespace

void add_publish(CLI::App& app) {
  auto arguments = std::make_shared<PublishArguments>();
  CLI::App* command = app.add_subcommand("publish", "puts models into a registry, for good");
  command->add_option("MODEL", arguments->models, "the model file, or several")->required();
  command
      ->add_option("--attach", arguments->attached,
                   "publish this file with it: a validation, plots, DiskSim files, the table "
                   "(repeatable)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command->add_flag("--attach-beside", arguments->beside,
                    "publish what lies beside each MODEL.json under its name, too: "
                    "MODEL.samples.jsonl, MODEL.ptab, MODEL.html and the like");
  arguments->folder.add_to(*command);
  command
      ->add_option("--samples", arguments->samples,
                   "the run's raw samples, to publish with it and to hold the model against")
      ->type_name("FILE");
  command->add_flag("--serial", arguments->serial,
                    "publish the drive's serial number, not a stand-in for it");
  command
      ->add_option("--force", arguments->publish.forced,
                   "publish in spite of this rule, and record that (repeatable)")
      ->allow_extra_args(false)
      ->type_name("RULE");
  command->add_flag("--json", arguments->json, "write the reference and digests as JSON to stdout");
  command->callback([arguments] { publish(*arguments); });
}

}  // namespace platter::cli
