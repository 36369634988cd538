#include "jobs/fleet.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fleet/fleet_text.h"
#include "jobs/outputs.h"
#include "model/error.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/json.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"
#include "registry/annotations.h"
#include "registry/pull.h"
#include "registry/reference.h"

namespace platter::jobs {
namespace {

std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::filesystem::path& path : model::paths_in(folder))
    if (path.extension() == ".json") paths.push_back(path);
  return paths;
}

// What there is to compare, and what of it could not be read.
struct Gathered {
  std::vector<fleet::Drive> drives;
  std::vector<fleet::LeftOut> left_out;

  bool empty() const { return drives.empty() && left_out.empty(); }
};

// One model that cannot be read does not keep the others from being compared.
std::optional<fleet::Drive> read_one(Gathered& gathered, const std::string& name,
                                     const std::function<fleet::Drive()>& read) {
  stop_if_asked();
  try {
    return read();
  } catch (const Error& error) {
    let_interruptions_pass(error);
    gathered.left_out.push_back({name, error.status(), error.what()});
    return std::nullopt;
  }
}

fleet::Drive read_published(const registry::Published& published) {
  return {published.reference(), registry::open(published).model};
}

// The later of two models of one drive.
void keep_later(fleet::Drive& kept, fleet::Drive&& other) {
  model::say("platter: {} and {} are of one drive; the later one is taken\n",
             model::printable(kept.name), model::printable(other.name));
  if (other.model.provenance.date >= kept.model.provenance.date) kept = std::move(other);
}

// The latest model of each drive of a registry, or the models of a folder of files.
Gathered drives_in(const registry::Store& store) {
  Gathered gathered;
  for (const std::string& name : store.drives())
    if (auto drive = read_one(gathered, name,
                              [&] { return read_published(registry::find(store, name)); }))
      gathered.drives.push_back(std::move(*drive));
  if (!gathered.empty()) return gathered;
  std::map<std::string, std::size_t> of_drive;  // by its identity
  for (const std::string& path : models_in(store.folder())) {
    auto drive = read_one(gathered, path, [&] {
      return fleet::Drive{std::filesystem::path(path).stem().string(), model::load_model(path)};
    });
    if (!drive) continue;
    const model::Identity& identity = drive->model.identity;
    const auto [known, first] = of_drive.try_emplace(registry::drive_identity(identity),
                                                     gathered.drives.size());
    if (first || identity.serial.empty())
      gathered.drives.push_back(std::move(*drive));
    else
      keep_later(gathered.drives[known->second], std::move(*drive));
  }
  return gathered;
}

// All versions up to the one that is named, the oldest first; of a drive without one, all.
Gathered versions_of(const registry::Store& store, const std::string& named) {
  const registry::Published latest = registry::find(store, named);
  const std::uint64_t last = registry::version_number(latest.tag);
  if (last == 0)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: has no version's number (v1, v2), by which there would be earlier "
                            "ones; platter registry list shows which versions there are",
                            model::printable(latest.reference())));
  const registry::ImageIndex index = latest.layout.index();
  Gathered versions;
  for (const registry::Descriptor& version : registry::versions_up_to(index, last)) {
    const std::string reference = latest.layout.drive() + ":" +
                                  version.annotation(registry::kTagKey);
    const auto read_version = [&] {
      return read_published(version_in(latest.layout, index, version));
    };
    if (auto read = read_one(versions, reference, read_version))
      versions.drives.push_back(std::move(*read));
  }
  return versions;
}

// `found`: what stands out, in words; empty: nothing. What was left out could have stood out, too,
// so its status goes before the other.
void end_with(const std::string& where, const std::vector<fleet::LeftOut>& left_out,
              std::size_t drives, const std::string& found) {
  if (!left_out.empty())
    throw Error(ExitStatus::some_failed,
                fmt::format("{}: {}{} of {} models left out because they cannot be read, the first "
                            "by {}",
                            where, found.empty() ? "" : found + "; ", left_out.size(),
                            left_out.size() + drives, left_out.front().error));
  if (!found.empty()) throw Error(ExitStatus::differs, fmt::format("{}: {}", where, found));
}

void history(const registry::Store& store, const FleetRun& options, const Print& print) {
  const Gathered versions = versions_of(store, options.drive);
  const std::vector<fleet::Drive>& drives = versions.drives;
  if (drives.size() < 2) {
    throw Error(ExitStatus::bad_input,
                versions.left_out.empty()
                    ? fmt::format("{}: has no earlier version in {} to compare it with; measure "
                                  "the drive again and publish that, or name a later one",
                                  model::printable(options.drive), store.folder())
                    : fmt::format("{}: of its versions in {} fewer than two can be read: {}",
                                  model::printable(options.drive), store.folder(),
                                  versions.left_out.front().error));
  }
  std::vector<fleet::Step> steps;
  for (std::size_t i = 1; i < drives.size(); ++i)
    steps.push_back({drives[i - 1].name, drives[i].name,
                     fleet::changes_between(drives[i - 1].model, drives[i].model)});
  if (options.json) {
    print(model::json_document("platter-fleet-history",
                               fleet::history_as_json(steps, versions.left_out)));
  } else {
    print(fleet::history_as_text(steps, versions.left_out));
  }
  const std::size_t changed = fleet::changed_in(steps);
  end_with(model::printable(options.drive), versions.left_out, drives.size(),
           changed == 0 ? ""
                        : fmt::format("{} figures differ between its versions by more than their "
                                      "errors, or state none",
                                      changed));
}

}  // namespace

void compare_fleet(const FleetRun& options, const Print& print) {
  const registry::Store store = options.folder.store();
  if (!model::is_folder(store.folder()))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is no folder; name a registry's folder, or one of model files",
                            store.folder()));
  if (!options.drive.empty()) return history(store, options, print);
  const Gathered gathered = drives_in(store);
  const std::vector<fleet::Drive>& drives = gathered.drives;
  if (drives.empty()) {
    throw Error(ExitStatus::bad_input,
                gathered.left_out.empty()
                    ? fmt::format("{}: holds no models; name a registry's folder, or one of model "
                                  "files",
                                  store.folder())
                    : fmt::format("{}: none of its {} models can be read: {}", store.folder(),
                                  gathered.left_out.size(), gathered.left_out.front().error));
  }
  const fleet::Fleet found = fleet::side_by_side(drives, options.by_firmware);
  if (options.json) {
    print(model::json_document("platter-fleet", fleet::fleet_as_json(found, gathered.left_out)));
  } else {
    print(fleet::fleet_as_text(found, gathered.left_out));
  }
  const std::size_t outliers = fleet::outliers_in(found);
  end_with(store.folder(), gathered.left_out, drives.size(),
           outliers == 0 ? "" : fmt::format("{} of {} drives stand out", outliers, drives.size()));
}

}  // namespace platter::jobs
