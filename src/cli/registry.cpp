#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/outputs.h"
#include "cli/registry_folder.h"
#include "cli/subcommands.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json_head.h"
#include "model/printable.h"
#include "registry/pull.h"
#include "registry/search_index.h"
#include "registry/verify.h"
#include "report/model_summary.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RegistryOptions {
  RegistryFolder folder;
  std::string reference, output, files_folder;
  std::vector<std::string> words;
  bool json = false;
  Outputs outputs;

  registry::Store store() const { return folder.store(); }
};

void notice(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences)
    fmt::print(stderr, "platter: {}\n", model::printable(sentence));
}

Json as_json(const registry::Entry& entry) {
  return {{"reference", entry.reference()},
          {"drive", entry.drive},
          {"tag", entry.tag},
          {"latest", entry.latest},
          {"digest", entry.digest},
          {"annotations", entry.annotations},
          {"files", entry.files}};
}

double gigabytes(const registry::Entry& entry) {
  const std::string blocks = entry.annotation("vnd.platter.blocks");
  const std::string bytes = entry.annotation("vnd.platter.block_bytes");
  return std::strtod(blocks.c_str(), nullptr) * std::strtod(bytes.c_str(), nullptr) / 1e9;
}

// A registry that was named and is not there is an error; one that nobody has put anything into is
// empty.
registry::Listing models_in(const registry::Store& store, const RegistryOptions& options) {
  const bool there = options.folder.named.empty() || std::filesystem::exists(options.folder.named);
  if (!there || !store.is_new()) return registry::search(store, options.words);
  return {.entries = {},
          .problems = {store.folder() + " holds no models yet; platter publish puts one there"}};
}

void list(const RegistryOptions& options) {
  const registry::Listing listing = models_in(options.store(), options);
  notice(listing.problems);
  if (options.json) {
    Json models = Json::array();
    for (const registry::Entry& entry : listing.entries) models.push_back(as_json(entry));
    return print_json("platter-registry-list",
                      {{"models", models}, {"problems", listing.problems}});
  }
  for (const registry::Entry& entry : listing.entries) {
    const auto said = [&](const char* key) { return model::printable(entry.annotation(key)); };
    const std::string standing = said("vnd.platter.standing");
    fmt::print("{:<48} {:>9.3f} GB {:>8} rpm  {:<13} {}{}\n", model::printable(entry.reference()),
               gigabytes(entry), said("vnd.platter.rpm"),
               standing.empty() ? said("vnd.platter.method") : standing,
               said("org.opencontainers.image.created"), entry.latest ? "  latest" : "");
  }
}

void show(const RegistryOptions& options) {
  const registry::Published published = registry::find(options.store(), options.reference);
  const registry::Contents contents = registry::open(published);
  if (options.json) {
    Json layers = Json::array();
    for (const registry::Descriptor& layer : contents.manifest.layers) {
      layers.push_back({{"title", layer.annotation(registry::kTitleKey)},
                        {"media_type", layer.media_type},
                        {"digest", layer.digest},
                        {"size", layer.size}});
    }
    return print_json("platter-registry-show", {{"reference", published.reference()},
                                                {"digest", published.descriptor.digest},
                                                {"layout", published.layout.folder()},
                                                {"annotations", contents.manifest.annotations},
                                                {"layers", layers}});
  }
  fmt::print("{}\n{}\n\n", published.reference(), published.descriptor.digest);
  for (const auto& [key, value] : contents.manifest.annotations)
    fmt::print("  {:<36} {}\n", model::printable(key), model::printable(value));
  fmt::print("\n");
  for (const registry::Descriptor& layer : contents.manifest.layers) {
    fmt::print("  {:<24} {:>10} bytes  {}\n",
               model::printable(layer.annotation(registry::kTitleKey)), layer.size,
               model::printable(layer.media_type));
  }
  fmt::print("\n{}", report::model_as_text(contents.model));
}

void pull(const RegistryOptions& options) {
  const registry::Published published = registry::find(options.store(), options.reference);
  const registry::Contents contents = registry::open(published);
  if (!options.output.empty()) options.outputs.writes(options.output, content_of(contents.model));
  if (!options.files_folder.empty())
    registry::pull_files(published, options.files_folder,
                         [&](const std::string& path, const std::string& content) {
                           options.outputs.writes_bytes(path, content);
                         });
  if (options.output.empty()) {
    fmt::print("{}\n", contents.model_text);
  } else {
    model::write_file(options.output, contents.model_text);
  }
}

void verify(const RegistryOptions& options) {
  const registry::Store store = options.store();
  const registry::Verification found = options.reference.empty()
                                           ? registry::verify(store)
                                           : registry::verify(store, options.reference);
  if (options.json) {
    print_json("platter-registry-verification", {{"drives", found.drives},
                                                 {"models", found.models},
                                                 {"blobs", found.blobs},
                                                 {"findings", found.findings},
                                                 {"notices", found.notices}});
  } else {
    for (const std::string& finding : found.findings) fmt::print("{}\n", model::printable(finding));
    notice(found.notices);
  }
  if (!found.findings.empty()) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: has {} faults; publish the damaged models again, or delete what is "
                    "damaged and copy it back from a registry that has it",
                    store.folder(), found.findings.size()));
  }
  if (!options.json) {
    fmt::print("{} drives, {} models, {} blobs: all is well\n", found.drives, found.models,
               found.blobs);
  }
}

void rebuild_index(const RegistryOptions& options) {
  const registry::Store store = options.store();
  const std::size_t models = registry::rebuild_search_index(store);
  if (options.json) {
    return print_json("platter-registry-index",
                      {{"path", registry::search_index_path(store)}, {"models", models}});
  }
  fmt::print("{}: {} models\n", registry::search_index_path(store), models);
}

}  // namespace

void print_json(const std::string& schema, const Json& members) {
  Json json = model::json_head(schema);
  json.update(members);
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void add_registry(CLI::App& app) {
  auto options = std::make_shared<RegistryOptions>();
  CLI::App* command = app.add_subcommand("registry", "what was published: find, fetch, check");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, void (*run)(const RegistryOptions&)) {
    CLI::App* verb = command->add_subcommand(name, what);
    options->folder.add_to(*verb);
    verb->callback([options, run] { run(*options); });
    return verb;
  };
  const auto add_json = [&](CLI::App* verb) {
    verb->add_flag("--json", options->json, "write it as JSON to stdout");
  };
  const char* const reference = "DRIVE, DRIVE:vN, DRIVE@sha256:... or sha256:...";

  add_json(add("list", "every model", list));
  CLI::App* search = add("search", "models that hold all of the words", list);
  search->add_option("WORDS", options->words, "of names and annotations, in any case")->required();
  add_json(search);
  CLI::App* showing = add("show", "what was published, and the model in words", show);
  showing->add_option("REF", options->reference, reference)->required();
  add_json(showing);
  CLI::App* pulling = add("pull", "fetches a model, its digests checked", pull);
  pulling->add_option("REF", options->reference, reference)->required();
  pulling->add_option("-o,--output", options->output, "the model file to write (else: to stdout)");
  pulling->add_option("--files", options->files_folder,
                      "also write what went along into this folder");
  options->outputs.add_force(*pulling);
  CLI::App* verifying = add("verify", "checks every digest, size and model", verify);
  verifying->add_option("REF", options->reference, "only this model");
  add_json(verifying);
  add_registry_match(*command);
  add_registry_keep(*command);
  add_json(add("rebuild-index", "makes the index for searching anew", rebuild_index));
}

}  // namespace platter::cli
