#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/open_device.h"
#include "cli/registry_folder.h"
#include "cli/several.h"
#include "cli/subcommands.h"
#include "extract/prospects.h"
#include "model/error.h"
#include "model/printable.h"
#include "model/say.h"
#include "registry/match.h"
#include "scsi/guard.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MatchOptions {
  RegistryFolder folder;
  std::vector<std::string> devices;
  std::uint64_t most = 5;
  bool this_drive = false, json = false;
};

// By INQUIRY, READ CAPACITY and what VPD page B1h or mode page 04h says of the speed.
registry::AttachedDrive ask(const std::string& name) {
  const auto device = open_device(name, {.changes = false});
  scsi::Guard guard(*device, {.settings = false, .writes = {}});
  scsi::Drive drive(guard, device->name());
  const model::Identity identity = drive.identify();
  return {identity, extract::nominal_speed(drive).rpm};
}

void match(const std::string& device, const MatchOptions& options, const Print& print) {
  const registry::AttachedDrive drive = ask(device);
  std::vector<registry::Match> matches = registry::match(options.folder.store(), drive,
                                                         options.most);
  if (options.this_drive) {
    registry::require_recognizable(options.folder.store(), drive.identity, matches);
    std::erase_if(matches, [](const registry::Match& found) {
      return found.closeness != registry::Closeness::same_drive;
    });
  }
  if (options.json) {
    Json list = Json::array();
    for (const registry::Match& found : matches) {
      list.push_back({{"reference", found.entry.reference()},
                      {"digest", found.entry.digest},
                      {"closeness", registry::name_of(found.closeness)},
                      {"distance", found.distance},
                      {"annotations", found.entry.annotations}});
    }
    print(json_text_of("platter-registry-match", {{"device", device}, {"models", list}}));
  } else {
    for (const registry::Match& found : matches)
      print(fmt::format("{:<48} {}\n", model::printable(found.entry.reference()),
                        registry::name_of(found.closeness)));
  }
  const std::string who = model::printable(drive.identity.vendor + " " + drive.identity.product);
  if (matches.empty() && options.this_drive) {
    throw Error(ExitStatus::incomplete,
                fmt::format("{}: no published model is of this very drive ({}); platter "
                            "characterize makes one",
                            device, who));
  }
  if (matches.empty()) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: no published model is of {} or has its block size; platter "
                            "characterize makes one",
                            device, who));
  }
  if (matches.front().closeness != registry::Closeness::same_drive) {
    model::say(
        "platter: no model is of this very drive ({}); another drive of one product has "
        "other zones and defects\n",
        who);
  }
}

}  // namespace

void add_registry_match(CLI::App& registry) {
  auto options = std::make_shared<MatchOptions>();
  CLI::App* verb = registry.add_subcommand("match", "the models that fit an attached drive best");
  options->folder.add_to(*verb);
  verb->add_option("DEVICE", options->devices, "a device, or several (platter devices lists them)")
      ->required();
  verb->add_option("--limit", options->most, "at most so many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verb->add_flag("--this-drive", options->this_drive,
                 "only models of this very drive; status 13 where there are none");
  verb->add_flag("--json", options->json, "write it as JSON to stdout");
  verb->callback([options] {
    for_each_of(
        options->devices, options->json, Heading::name,
        [&](const std::string& device, const Print& print) { match(device, *options, print); });
  });
}

}  // namespace platter::cli
