#include "jobs/fleet.h"

#include <memory>

#include "cli/subcommands.h"

namespace platter::cli {

void add_fleet(CLI::App& app) {
  auto options = std::make_shared<jobs::FleetRun>();
  CLI::App* command = app.add_subcommand(
      "fleet", "drives of one product side by side, outliers named; status 12 if there are any");
  command->add_option("REGISTRY", options->folder.named,
                      "a registry's folder (else $XDG_DATA_HOME/platter/registry), or one of "
                      "model files");
  CLI::Option* drive = command->add_option(
      "--drive", options->drive,
      "this drive of the registry against its own earlier versions; DRIVE:vN: up to vN");
  command->add_flag("--by-firmware", options->by_firmware, "other firmware is another product")
      ->excludes(drive);
  add_json(*command, options->json, "every figure, for programs");
  command->callback([options] { jobs::compare_fleet(*options, print_text); });
}

}  // namespace platter::cli
