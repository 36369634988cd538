#include <fmt/core.h>

#include <memory>
#include <utility>

#include "cli/several.h"
#include "cli/subcommands.h"
#include "jobs/registry_pull.h"
#include "model/json_text.h"
#include "model/printable.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MatchOptions {
  jobs::MatchRun run;
  std::vector<std::string> devices;
  bool json = false;
};

void match(const std::string& device, const MatchOptions& options, const Print& print) {
  const jobs::Matched matched = jobs::match_drive(options.run, device);
  Json list = Json::array();
  for (const registry::Match& found : matched.matches) {
    list.push_back({{"reference", found.entry.reference()},
                    {"digest", found.entry.digest},
                    {"closeness", registry::name_of(found.closeness)},
                    {"distance", found.distance},
                    {"annotations", found.entry.annotations}});
    if (!options.json)
      print(fmt::format("{:<48} {}\n", model::printable(found.entry.reference()),
                        registry::name_of(found.closeness)));
  }
  if (options.json)
    print(model::json_document("platter-registry-match",
                               {{"device", device}, {"models", std::move(list)}}));
  jobs::require_match(options.run, device, matched);
}

}  // namespace

void add_registry_match(CLI::App& registry) {
  auto options = std::make_shared<MatchOptions>();
  CLI::App* verb = registry.add_subcommand("match", "the models that fit an attached drive best");
  add_registry_option(*verb, options->run.folder);
  verb->add_option("DEVICE", options->devices, "a device, or several (platter devices lists them)")
      ->required();
  verb->add_option("--limit", options->run.most, "at most so many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verb->add_flag("--this-drive", options->run.this_drive,
                 "only models of this very drive; status 13 where there are none");
  add_json(*verb, options->json, kAsJson);
  verb->callback([options] {
    for_each_of(
        options->devices, options->json, Heading::name,
        [&](const std::string& device, const Print& print) { match(device, *options, print); });
  });
}

}  // namespace platter::cli
