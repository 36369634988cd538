#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cli/common_options.h"
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

struct DiffOptions {
  jobs::RegistryFolder folder;
  std::string a, b;
  bool all = false, json = false;
};

void diff(const DiffOptions& options) {
  const auto model_of = [&](const std::string& reference) {
    return registry::open(registry::find(options.folder.store(), reference)).model;
  };
  print_differences(report::diff_models(model_of(options.a), model_of(options.b)), options.a,
                    options.b, {options.all, options.json});
}

struct ImportOptions {
  jobs::RegistryFolder folder;
  std::vector<std::string> folders;
  bool json = false;
};

void import(const ImportOptions& options) {
  const registry::Store store = options.folder.store();
  Json list = Json::array();
  for (const std::string& folder : options.folders) {
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

struct PruneOptions {
  jobs::RegistryFolder folder;
  std::vector<std::string> references;
  std::uint64_t keep = 0;
  bool dry_run = false, json = false;

  registry::Doing doing() const {
    return dry_run ? registry::Doing::only_told : registry::Doing::done;
  }
};

void prune(const PruneOptions& options) {
  if (options.references.empty() && options.keep == 0) {
    throw Error(ExitStatus::usage,
                "nothing says what goes; name versions (DRIVE:vN), or give --keep N for the newest "
                "N of each drive");
  }
  const registry::Store store = options.folder.store();
  const std::vector<registry::Pruned> pruned =
      options.keep > 0
          ? registry::prune_older(store, options.references, options.keep, options.doing())
          : registry::prune(store, options.references, options.doing());
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

struct GarbageOptions {
  jobs::RegistryFolder folder;
  bool dry_run = false, json = false;
};

void collect(const GarbageOptions& options) {
  const std::vector<registry::Garbage> garbage = registry::collect_garbage(
      options.folder.store(), options.dry_run ? registry::Doing::only_told : registry::Doing::done);
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

  auto two = std::make_shared<DiffOptions>();
  CLI::App* verb = registry.add_subcommand(
      "diff", "two published models side by side; status 12 if they differ");
  add_registry_option(*verb, two->folder);
  verb->add_option("A", two->a, reference)->required();
  verb->add_option("B", two->b, "another one")->required();
  CLI::Option* all = verb->add_flag("--all", two->all, "show the figures that are equal too");
  add_json(*verb, two->json, "every figure, for programs")->excludes(all);
  verb->callback([two] { diff(*two); });

  auto imported = std::make_shared<ImportOptions>();
  verb = registry.add_subcommand(
      "import", "takes models in: of an OCI image layout, of another registry's folder");
  add_registry_option(*verb, imported->folder);
  verb->add_option("FOLDER", imported->folders, "layouts, or folders of registries")->required();
  add_json(*verb, imported->json, kAsJson);
  verb->callback([imported] { import(*imported); });

  auto pruned = std::make_shared<PruneOptions>();
  verb = registry.add_subcommand("prune", "takes versions out; their numbers are not given again");
  add_registry_option(*verb, pruned->folder);
  verb->add_option("REF", pruned->references, "versions; with --keep, drives (else all)");
  verb->add_option("--keep", pruned->keep, "all but the newest N versions of each drive")
      ->check(CLI::Range(1, 1'000'000));
  verb->add_flag("--dry-run", pruned->dry_run, "only say which");
  add_json(*verb, pruned->json, kAsJson);
  verb->callback([pruned] { prune(*pruned); });

  auto garbage = std::make_shared<GarbageOptions>();
  verb = registry.add_subcommand("gc", "deletes what no version refers to");
  add_registry_option(*verb, garbage->folder);
  verb->add_flag("--dry-run", garbage->dry_run, "only say what");
  add_json(*verb, garbage->json, kAsJson);
  verb->callback([garbage] { collect(*garbage); });
}

}  // namespace platter::cli
