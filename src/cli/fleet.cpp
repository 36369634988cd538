#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/registry_folder.h"
#include "cli/subcommands.h"
#include "fleet/fleet_text.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/json.h"
#include "model/printable.h"
#include "registry/annotations.h"
#include "registry/pull.h"
#include "registry/reference.h"

namespace platter::cli {
namespace {

struct FleetOptions {
  std::string folder, drive;
  bool by_firmware = false, json = false;
};

std::vector<std::string> model_files(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

// The latest model of each drive of a registry, or the models of a folder of files.
std::vector<fleet::Drive> drives_in(const registry::Store& store) {
  std::vector<fleet::Drive> drives;
  for (const std::string& name : store.drives()) {
    stop_if_asked();
    const registry::Published latest = registry::find(store, name);
    drives.push_back({latest.reference(), registry::open(latest).model});
  }
  if (!drives.empty()) return drives;
  std::map<std::string, std::size_t> of_drive;  // by its identity
  for (const std::string& path : model_files(store.folder())) {
    stop_if_asked();
    fleet::Drive drive{std::filesystem::path(path).stem().string(), model::load_model(path)};
    const model::Identity& identity = drive.model.identity;
    const auto [known, first] = of_drive.try_emplace(registry::drive_identity(identity),
                                                     drives.size());
    if (first || identity.serial.empty()) {
      drives.push_back(std::move(drive));
      continue;
    }
    fleet::Drive& other = drives[known->second];
    fmt::print(stderr, "platter: {} and {} are of one drive; the later one is taken\n",
               model::printable(other.name), model::printable(drive.name));
    if (drive.model.provenance.date >= other.model.provenance.date) other = std::move(drive);
  }
  return drives;
}

// All versions, the oldest first.
std::vector<fleet::Drive> versions_of(const registry::Store& store, const std::string& drive) {
  const registry::Published latest = registry::find(store, drive);
  std::vector<std::pair<std::uint64_t, std::string>> tags;
  for (const registry::Descriptor& manifest : latest.layout.index().manifests) {
    const std::string tag = manifest.annotation(registry::kTagKey);
    if (const std::uint64_t version = registry::version_number(tag); version > 0)
      tags.emplace_back(version, tag);
  }
  std::ranges::sort(tags);
  std::vector<fleet::Drive> versions;
  for (const auto& [version, tag] : tags) {
    stop_if_asked();
    const registry::Published published = registry::find(store, latest.layout.drive() + ":" + tag);
    versions.push_back({published.reference(), registry::open(published).model});
  }
  return versions;
}

void history(const registry::Store& store, const FleetOptions& options) {
  const std::vector<fleet::Drive> versions = versions_of(store, options.drive);
  if (versions.size() < 2) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: has one version in {}, and no earlier one to compare it with; "
                            "measure the drive again and publish that",
                            model::printable(options.drive), store.folder()));
  }
  std::vector<fleet::Step> steps;
  for (std::size_t i = 1; i < versions.size(); ++i)
    steps.push_back({versions[i - 1].name, versions[i].name,
                     fleet::changes_between(versions[i - 1].model, versions[i].model)});
  if (options.json) {
    cli::print_json("platter-fleet-history", fleet::history_as_json(steps));
  } else {
    fmt::print("{}", fleet::history_as_text(steps));
  }
  if (const std::size_t changed = fleet::changed_in(steps); changed > 0)
    throw Error(
        ExitStatus::differs,
        fmt::format(
            "{}: {} figures differ between its versions by more than their errors, or state "
            "none",
            model::printable(options.drive), changed));
}

void compare_fleet(const FleetOptions& options) {
  const registry::Store store(options.folder.empty() ? registry::default_folder() : options.folder);
  if (!std::filesystem::is_directory(store.folder()))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is no folder; name a registry's folder, or one of model files",
                            store.folder()));
  if (!options.drive.empty()) return history(store, options);
  const std::vector<fleet::Drive> drives = drives_in(store);
  if (drives.empty()) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: holds no models; name a registry's folder, or one of model files",
                            store.folder()));
  }
  const fleet::Fleet found = fleet::side_by_side(drives, options.by_firmware);
  if (options.json) {
    cli::print_json("platter-fleet", fleet::fleet_as_json(found));
  } else {
    fmt::print("{}", fleet::fleet_as_text(found));
  }
  if (const std::size_t outliers = fleet::outliers_in(found); outliers > 0)
    throw Error(ExitStatus::differs, fmt::format("{}: {} of {} drives stand out", store.folder(),
                                                 outliers, drives.size()));
}

}  // namespace

void add_fleet(CLI::App& app) {
  auto options = std::make_shared<FleetOptions>();
  CLI::App* command = app.add_subcommand(
      "fleet", "drives of one product side by side, outliers named; status 12 if there are any");
  command->add_option("REGISTRY", options->folder,
                      "a registry's folder (else $XDG_DATA_HOME/platter/registry), or one of "
                      "model files");
  CLI::Option* drive = command->add_option(
      "--drive", options->drive, "this drive of the registry against its own earlier versions");
  command->add_flag("--by-firmware", options->by_firmware, "other firmware is another product")
      ->excludes(drive);
  command->add_flag("--json", options->json, "every figure, for programs");
  command->callback([options] { compare_fleet(*options); });
}

}  // namespace platter::cli
