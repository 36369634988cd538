#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cli/differences.h"
#include "cli/subcommands.h"
#include "model/error.h"
#include "model/printable.h"
#include "model/say.h"
#include "registry/prune.h"
#include "registry/pull.h"
#include "registry/remote/import.h"
#include "report/model_diff.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

struct KeepOptions {
  jobs::RegistryFolder folder;
  std::string a, b;
  std::vector<std::string> names;  // folders, references
  std::uint64_t keep = 0;
  bool all = false, dry_run = false, json = false;

  registry::Store store() const { return folder.store(); }
  registry::Doing doing() const {
    return dry_run ? registry::Doing::only_told : registry::Doing::done;
  }
};

void diff(const KeepOptions& options) {
  const auto model_of = [&](const std::string& reference) {
    return registry::open(registry::find(options.store(), reference)).model;
  };
  print_differences(report::diff_models(model_of(options.a), model_of(options.b)), options.a,
                    options.b, {options.all, options.json});
}

void import(const KeepOptions& options) {
  const registry::Store store = options.store();
  Json list = Json::array();
  for (const std::string& folder : options.names) {
    const std::vector<registry::TakenIn> taken = registry_remote::import_all(store, folder);
    if (taken.empty()) {
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: holds no model of a drive that platter published", folder));
    }
    for (const registry::TakenIn& one : taken) {
      list.push_back({{"reference", one.reference()},
                      {"digest", one.digest},
                      {"tag_there", one.tag_there},
                      {"added", one.added}});
      if (!options.json)
        fmt::print("{}{}\n    {}\n", model::printable(one.reference()),
                   one.added ? "" : "  was there", one.digest);
      for (const std::string& objection : one.objections)
        model::say("platter: {}: publish would refuse it: {}\n", model::printable(one.reference()),
                   model::printable(objection));
    }
  }
  if (options.json) print_json("platter-registry-import", {{"models", list}});
}

void prune(const KeepOptions& options) {
  if (options.names.empty() && options.keep == 0) {
    throw Error(ExitStatus::usage,
                "nothing says what goes; name versions (DRIVE:vN), or give --keep N for the newest "
                "N of each drive");
  }
  const registry::Store store = options.store();
  const std::vector<registry::Pruned> pruned =
      options.keep > 0 ? registry::prune_older(store, options.names, options.keep, options.doing())
                       : registry::prune(store, options.names, options.doing());
  if (options.json) {
    Json list = Json::array();
    for (const registry::Pruned& one : pruned)
      list.push_back({{"reference", one.reference}, {"digest", one.digest}});
    return print_json("platter-registry-pruned", {{"dry_run", options.dry_run}, {"pruned", list}});
  }
  for (const registry::Pruned& one : pruned)
    fmt::print("{}  {}\n", model::printable(one.reference), one.digest);
  fmt::print("{} {}\n", pruned.size(),
             options.dry_run
                 ? "versions would go; nothing was changed"
                 : "versions are gone; platter registry gc deletes what only they referred to");
}

void collect(const KeepOptions& options) {
  const std::vector<registry::Garbage> garbage = registry::collect_garbage(options.store(),
                                                                           options.doing());
  const std::uint64_t bytes = std::accumulate(
      garbage.begin(), garbage.end(), std::uint64_t{0},
      [](std::uint64_t sum, const registry::Garbage& file) { return sum + file.bytes; });
  if (options.json) {
    Json files = Json::array();
    for (const registry::Garbage& file : garbage)
      files.push_back({{"path", file.path}, {"bytes", file.bytes}});
    return print_json("platter-registry-garbage",
                      {{"dry_run", options.dry_run}, {"bytes", bytes}, {"files", files}});
  }
  if (options.dry_run)
    for (const registry::Garbage& file : garbage) fmt::print("{}\n", model::printable(file.path));
  fmt::print("{} files, {} bytes {}\n", garbage.size(), bytes,
             options.dry_run ? "would be deleted" : "deleted");
}

}  // namespace

void add_registry_keep(CLI::App& registry) {
  const char* const reference = "DRIVE, DRIVE:vN, DRIVE@sha256:... or sha256:...";
  auto options = std::make_shared<KeepOptions>();
  const auto add = [&](const char* name, const char* what, void (*run)(const KeepOptions&)) {
    CLI::App* verb = registry.add_subcommand(name, what);
    add_registry_option(*verb, options->folder);
    verb->callback([options, run] { run(*options); });
    return verb;
  };

  CLI::App* two = add("diff", "two published models side by side; status 12 if they differ", diff);
  two->add_option("A", options->a, reference)->required();
  two->add_option("B", options->b, "another one")->required();
  CLI::Option* all = two->add_flag("--all", options->all, "show the figures that are equal too");
  add_json(*two, options->json, "every figure, for programs")->excludes(all);

  CLI::App* imported = add(
      "import", "takes models in: of an OCI image layout, of another registry's folder", import);
  imported->add_option("FOLDER", options->names, "layouts, or folders of registries")->required();
  add_json(*imported, options->json, kAsJson);

  CLI::App* pruned = add("prune", "takes versions out; their numbers are not given again", prune);
  pruned->add_option("REF", options->names, "versions; with --keep, drives (else all)");
  pruned->add_option("--keep", options->keep, "all but the newest N versions of each drive")
      ->check(CLI::Range(1, 1'000'000));
  pruned->add_flag("--dry-run", options->dry_run, "only say which");
  add_json(*pruned, options->json, kAsJson);

  CLI::App* garbage = add("gc", "deletes what no version refers to", collect);
  garbage->add_flag("--dry-run", options->dry_run, "only say what");
  add_json(*garbage, options->json, kAsJson);
}

}  // namespace platter::cli
