#include "jobs/registry_site.h"

#include <fmt/core.h>

#include <memory>

#include "cli/subcommands.h"
#include "jobs/needs.h"

namespace platter::cli {

void add_registry_site(CLI::App& registry) {
  auto options = std::make_shared<jobs::SiteRun>();
  CLI::App* verb = registry.add_subcommand("site",
                                           "pages to look at it with a browser, without a server");
  add_registry_option(*verb, options->folder);
  verb->add_option("-o,--output", options->output, "the folder of the pages")
      ->check(named_for(Written::folder))
      ->required();
  verb->add_flag("--pictures", options->pictures,
                 "the map, the seek curve and the cache as figures on each model's page");
  add_force(*verb, options->outputs);
  verb->callback([options] {
    if (options->pictures) jobs::require_needs("registry site", "--pictures");
    const jobs::MadeSite made = jobs::make_site(*options);
    fmt::print("{}: {} models\n", made.first_page, made.models);
  });
}

}  // namespace platter::cli
